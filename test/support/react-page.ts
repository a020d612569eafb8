/**
 * A page made with React, for a browser: it shows a lamp through `useSelector` of @xstate/react, which
 * takes the client's ref as it takes an actor of XState. Bundled by test/e2e/browser-client.test.ts.
 */
import { useSelector } from '@xstate/react';
import { createElement, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { connect } from '../../src/client/index.ts';

/** Shows the page in an element, of a server at an address. */
export function showLamp(element: Element, url: string): void {
  const client = connect(url, { view: [0, 0], token: 'sesame' });
  const ref = client.record('lamp');
  let renders = 0;

  function Lamp(): ReactElement {
    const value = useSelector(ref, (record) => (record === undefined ? 'none' : record.value));
    renders += 1;
    return createElement(
      'button',
      { type: 'button', onClick: () => ref.send({ type: 'TOGGLE' }) },
      `${String(value)}, rendered ${renders} times`,
    );
  }

  createRoot(element).render(createElement(Lamp));
}
