/** Actions given plain values fit into a `setup` that declares no types. */
import { addRecord, edit, link, moveTo, removeRecord, tryEdit, unlink } from 'offstage';
import { setup } from 'xstate';

setup({
  actions: {
    add: addRecord({ kind: 'tent' }),
    go: edit('there', { type: 'GO' }),
    leave: unlink('there'),
    link: link('there', 'tent-1'),
    move: moveTo([1, 2]),
    raze: removeRecord('tent-1'),
    try: tryEdit('there', { type: 'GO' }, { else: { type: 'NO' } }),
  },
});
