/**
 * Transitions in the source of a machine. One is written as the name of its target, as an object, or
 * as one of several in an array; each of these stays as it is as far as an edit allows.
 */
import { Node, type ObjectLiteralExpression, type PropertyAssignment, SyntaxKind } from 'ts-morph';
import type {
  Cause,
  StatePath,
  TransitionChange,
  TransitionName,
} from '../../protocol/chart-edits.ts';
import {
  bare,
  innerObject,
  keyText,
  notEditable,
  objectOf,
  propertyOf,
  quoted,
  removeProperty,
  shortened,
  stateObject,
  textOf,
} from './machine-source.ts';

/** Finds an object anew, since every removal makes the file's nodes others. */
export type Find = () => ObjectLiteralExpression;

/** How a target is written, as seen from a state. */
export type Address = (source: StatePath, target: StatePath) => string;

interface Slot {
  /** The object that holds the property: the state itself, or its `on` or `after`. */
  readonly holder: ObjectLiteralExpression | undefined;
  readonly key: string;
}

export function addTransition(
  config: ObjectLiteralExpression,
  source: StatePath,
  cause: Cause,
  text: string,
): void {
  const state = stateObject(config, source);
  const { holder, key } = slotOf(state, cause);
  if (holder === undefined) {
    const [group] = Object.keys(cause) as [string];
    addProperty(state, group, `{ ${keyText(key)}: ${text} }`, 'states');
    return;
  }
  const property = propertyOf(holder, key);
  if (property === undefined) {
    addProperty(holder, key, text, 'states');
    return;
  }
  const value = writtenIn(property);
  if (Node.isArrayLiteralExpression(value)) value.addElement(text);
  else property.setInitializer(`[${value.getText()}, ${text}]`);
}

export function removeTransition(config: Find, name: TransitionName): void {
  const state = stateObject(config(), name.source);
  const found = written(state, name);
  if (found.list !== undefined && found.list.getElements().length > 1) {
    found.list.removeElement(name.place);
    return;
  }
  const { holder } = slotOf(state, name.cause);
  // The last of `on` or `after` takes the group with it.
  const group =
    holder !== undefined && holder !== state && holder.getProperties().length === 1
      ? holder.getParentIfKind(SyntaxKind.PropertyAssignment)
      : undefined;
  removeProperty(group ?? found.property);
}

export function changeTransition(
  config: Find,
  name: TransitionName,
  change: TransitionChange,
  address: Address,
): void {
  const { cause, ...parts } = change;
  if (Object.keys(parts).length > 0) changeParts(config, name, parts, address);
  if (cause === undefined || isSame(cause, name.cause)) return;
  const state = stateObject(config(), name.source);
  const text = written(state, name).node.getText();
  const { holder, key } = slotOf(state, name.cause);
  const next = slotOf(state, cause);
  const property = holder === undefined ? undefined : propertyOf(holder, key);
  const isAlone = property !== undefined && !Node.isArrayLiteralExpression(writtenIn(property));
  const isFree =
    holder !== undefined && next.holder === holder && propertyOf(holder, next.key) === undefined;
  // Alone under its key, and the new one is free beside it: only the key changes.
  if (isAlone && isFree) {
    property.getNameNode().replaceWithText(keyText(next.key));
    return;
  }
  removeTransition(config, name);
  addTransition(config(), name.source, cause, text);
}

/** The text of the target of a transition that names one, with the node that holds it. */
export function targetNode(
  config: ObjectLiteralExpression,
  name: TransitionName,
): { readonly text: string; replace(text: string): void } | undefined {
  const { node } = written(stateObject(config, name.source), name);
  const simple = textOf(node);
  if (simple !== undefined) {
    return { text: simple, replace: (text) => void bare(node).replaceWithText(quoted(text)) };
  }
  const object = objectOf(node);
  const property = object === undefined ? undefined : propertyOf(object, 'target');
  const value = property?.getInitializer();
  if (property === undefined || value === undefined) return undefined;
  const text = textOf(value);
  if (text === undefined) throw notEditable(`A target is ${shortened(value)}`, property);
  return { text, replace: (next) => void property.setInitializer(quoted(next)) };
}

function changeParts(
  config: Find,
  name: TransitionName,
  { target, guard, actions, reenter }: Omit<TransitionChange, 'cause'>,
  address: Address,
): void {
  const { source } = name;
  const found = (): Node => written(stateObject(config(), source), name).node;
  const isOnlyTarget = guard === undefined && actions === undefined && reenter === undefined;
  const simple = textOf(found());
  if (simple !== undefined) {
    if (isOnlyTarget && target) {
      bare(found()).replaceWithText(quoted(address(source, target)));
      return;
    }
    bare(found()).replaceWithText(`{ target: ${quoted(simple)} }`);
  }
  const object = (): ObjectLiteralExpression => {
    const node = found();
    const inner = objectOf(node);
    if (inner === undefined) throw notEditable(`The transition is ${shortened(node)}`, node);
    return inner;
  };
  if (target !== undefined) {
    setOrRemove(object(), 'target', target === null ? undefined : quoted(address(source, target)));
  }
  if (guard !== undefined) setNamed(object(), 'guard', guard === null ? [] : [guard]);
  if (reenter !== undefined) setOrRemove(object(), 'reenter', reenter ? 'true' : undefined);
  if (actions !== undefined) setNamed(object(), 'actions', actions);
}

/** Sets names of guards or actions. What is written inline there would be lost, so that is refused. */
export function setNamed(
  object: ObjectLiteralExpression,
  key: string,
  names: readonly string[],
): void {
  const value = propertyOf(object, key)?.getInitializer();
  if (value !== undefined) {
    const before = bare(value);
    const parts = Node.isArrayLiteralExpression(before) ? before.getElements() : [before];
    const inline = parts.find((part) => textOf(part) === undefined);
    if (inline !== undefined)
      throw notEditable(`'${key}' holds ${shortened(inline)}, which has no name`, inline);
  }
  const [only] = names;
  const text =
    only === undefined
      ? undefined
      : names.length === 1
        ? quoted(only)
        : `[${names.map(quoted).join(', ')}]`;
  setOrRemove(object, key, text);
}

export function setOrRemove(
  object: ObjectLiteralExpression,
  key: string,
  text: string | undefined,
): void {
  const property = propertyOf(object, key);
  if (text === undefined) {
    if (property !== undefined) removeProperty(property);
  } else if (property === undefined) addProperty(object, key, text, 'actions');
  else property.setInitializer(text);
}

/** Adds a property, before the one named if that is there. An object in one line stays so. */
export function addProperty(
  object: ObjectLiteralExpression,
  key: string,
  text: string,
  before: string,
): void {
  const all = object.getProperties();
  const found = all.findIndex((one) => Node.isPropertyAssignment(one) && one.getName() === before);
  const at = found < 0 ? all.length : found;
  const isOneLine = object.getStartLineNumber() === object.getEndLineNumber();
  if (isOneLine) {
    const parts = all.map((one) => one.getText());
    parts.splice(at, 0, `${keyText(key)}: ${text}`);
    const line = `{ ${parts.join(', ')} }`;
    // A line of its own for each, once they would not fit; and where states begin.
    const width = object.getStart() - object.getStartLinePos() + line.length;
    object.replaceWithText(
      width < 96 && key !== 'states'
        ? line
        : `{\n${parts.map((part) => `${indentOf(object)}  ${part},\n`).join('')}${indentOf(object)}}`,
    );
    return;
  }
  object.insertPropertyAssignment(at, { name: keyText(key), initializer: text });
}

function indentOf(node: Node): string {
  const line = node.getSourceFile().getFullText().slice(node.getStartLinePos());
  return /^\s*/.exec(line)?.[0] ?? '';
}

function slotOf(state: ObjectLiteralExpression, cause: Cause): Slot {
  if ('on' in cause) return { holder: innerObject(state, 'on'), key: cause.on };
  if ('after' in cause) return { holder: innerObject(state, 'after'), key: cause.after };
  return { holder: state, key: 'always' in cause ? 'always' : 'onDone' };
}

/** Where a transition is written. */
function written(state: ObjectLiteralExpression, { cause, place }: TransitionName) {
  const { holder, key } = slotOf(state, cause);
  const property = holder === undefined ? undefined : propertyOf(holder, key);
  if (property === undefined)
    throw notEditable(`The transition on '${key}' is not written in place`, state);
  const value = writtenIn(property);
  if (!Node.isArrayLiteralExpression(value)) {
    if (place > 0) throw notEditable(`'${key}' has one transition only`, property);
    return { property, node: value, list: undefined };
  }
  const node = value.getElements()[place];
  if (node === undefined || Node.isSpreadElement(node)) {
    throw notEditable(`Transition ${place + 1} on '${key}' is not written in place`, property);
  }
  return { property, node: bare(node), list: value };
}

function writtenIn(property: PropertyAssignment): Node {
  const value = bare(property.getInitializerOrThrow());
  if (
    Node.isArrayLiteralExpression(value) ||
    Node.isObjectLiteralExpression(value) ||
    textOf(value) !== undefined
  ) {
    return value;
  }
  throw notEditable(
    `'${property.getName()}' is ${shortened(value)}, not a transition written in place`,
    property,
  );
}

function isSame(a: Cause, b: Cause): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
