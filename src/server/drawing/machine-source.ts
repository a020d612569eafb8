/**
 * The configuration of a machine in its source: the object that `createMachine` is called with, and
 * the objects of its states. Only what stands there as a literal can be found; for anything else this
 * says what it met instead of guessing what it means.
 */
import {
  type Expression,
  Node,
  type ObjectLiteralExpression,
  type PropertyAssignment,
  type SourceFile,
  SyntaxKind,
} from 'ts-morph';
import { CommandError } from '../../core/errors.ts';
import type { StatePath } from '../../protocol/chart-edits.ts';

/** Refuses an edit that could not be made safely. */
export function notEditable(why: string, at?: Node): CommandError {
  const where =
    at === undefined
      ? ''
      : ` (line ${at.getSourceFile().getLineAndColumnAtPos(at.getStart()).line})`;
  return new CommandError('NOT_EDITABLE', `${why}${where}. Change it in the source by hand.`);
}

/** The configuration of the machine with an id, if this file makes it with `createMachine`. */
export function configIn(file: SourceFile, id: string): ObjectLiteralExpression | undefined {
  for (const call of file.getDescendantsOfKind(SyntaxKind.CallExpression)) {
    const callee = call.getExpression();
    const name = Node.isPropertyAccessExpression(callee) ? callee.getName() : callee.getText();
    if (name !== 'createMachine') continue;
    const [argument] = call.getArguments();
    const config = argument === undefined ? undefined : objectOf(argument);
    if (config === undefined) continue;
    const given = propertyOf(config, 'id')?.getInitializer();
    if (given !== undefined && textOf(given) === id) return config;
  }
  return undefined;
}

/**
 * What `setup` was called with, of the machine that has this configuration: in `setup(…).createMachine`,
 * or through a constant of the same file. Throws `NOT_EDITABLE` if it is not written in place.
 */
export function setupOf(config: ObjectLiteralExpression): ObjectLiteralExpression {
  const callee = config
    .getFirstAncestorByKindOrThrow(SyntaxKind.CallExpression)
    .getExpressionIfKind(SyntaxKind.PropertyAccessExpression);
  let made: Node | undefined = callee && bare(callee.getExpression());
  if (Node.isIdentifier(made)) {
    const constant = made.getSourceFile().getVariableDeclaration(made.getText());
    made = constant?.getInitializer();
  }
  if (Node.isCallExpression(made) && made.getExpression().getText() === 'setup') {
    const [argument] = made.getArguments();
    const given = argument && objectOf(argument);
    if (given !== undefined) return given;
  }
  throw notEditable('The setup() of the machine is not written in place', callee);
}

/** The object of a state. Throws `NOT_EDITABLE` if it is not written in place. */
export function stateObject(
  config: ObjectLiteralExpression,
  path: StatePath,
): ObjectLiteralExpression {
  let object = config;
  for (const [depth, key] of path.entries()) {
    const states = innerObject(object, 'states');
    const state = states === undefined ? undefined : innerObject(states, key);
    if (state === undefined) {
      throw notEditable(
        `The state '${path.slice(0, depth + 1).join('.')}' is not written in place`,
        object,
      );
    }
    object = state;
  }
  return object;
}

/** An object in a property; undefined if there is no such property. */
export function innerObject(
  object: ObjectLiteralExpression,
  key: string,
): ObjectLiteralExpression | undefined {
  const property = propertyOf(object, key);
  const value = property?.getInitializer();
  if (property === undefined || value === undefined) return undefined;
  const inner = objectOf(value);
  if (inner === undefined)
    throw notEditable(`'${key}' is ${shortened(value)}, not an object written in place`, property);
  return inner;
}

/**
 * A property by its name, however that is quoted. Throws `NOT_EDITABLE` where a spread or a computed
 * name may hide or change it.
 */
export function propertyOf(
  object: ObjectLiteralExpression,
  key: string,
): PropertyAssignment | undefined {
  let found: PropertyAssignment | undefined;
  for (const property of object.getProperties()) {
    if (Node.isSpreadAssignment(property)) {
      throw notEditable(`A spread, ${shortened(property)}, may hold '${key}'`, property);
    }
    const name = property.getNameNode();
    if (Node.isComputedPropertyName(name)) {
      throw notEditable(`A name worked out, ${name.getText()}, may be '${key}'`, property);
    }
    if (nameText(name) !== key) continue;
    if (!Node.isPropertyAssignment(property)) {
      throw notEditable(
        `'${key}' is ${shortened(property)}, which holds no value in place`,
        property,
      );
    }
    found = property;
  }
  return found;
}

/** The names of an object's properties, in order. */
export function keysOf(object: ObjectLiteralExpression): string[] {
  return object
    .getProperties()
    .flatMap((property) =>
      Node.isPropertyAssignment(property) ? [nameText(property.getNameNode())] : [],
    );
}

/**
 * Takes a property away, with its comma and what stands behind it on its line; a comment above it
 * stays. The text is changed and not the tree, so every node of the file has to be found again.
 */
export function removeProperty(property: PropertyAssignment): void {
  const file = property.getSourceFile();
  const object = property.getParentIfKindOrThrow(SyntaxKind.ObjectLiteralExpression);
  if (
    object.getProperties().length === 1 &&
    object.getDescendantsOfKind(SyntaxKind.SingleLineCommentTrivia).length === 0
  ) {
    file.replaceText([object.getStart(), object.getEnd()], '{}');
    return;
  }
  const text = file.getFullText();
  let start = property.getStart();
  let end = property.getEnd();
  const comma = /^\s*,/.exec(text.slice(end));
  if (comma !== null) end += comma[0].length;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const rest = /^[ \t]*(\/\/[^\n]*|\/\*[^\n]*\*\/[ \t]*)?(?=\n)/.exec(text.slice(end));
  if (text.slice(lineStart, start).trim() === '' && rest !== null) {
    // A line, or some, of its own.
    start = lineStart - 1;
    end += rest[0].length;
  } else if (comma !== null) {
    end += /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  } else {
    // The last of a line: the comma before it goes with it.
    start = text.slice(0, start).replace(/,?\s*$/, '').length;
  }
  file.replaceText([start, end], '');
}

/** Through parentheses, `as` and `satisfies`. */
export function bare(node: Node): Node {
  if (
    Node.isParenthesizedExpression(node) ||
    Node.isAsExpression(node) ||
    Node.isSatisfiesExpression(node)
  ) {
    return bare(node.getExpression());
  }
  return node;
}

export function objectOf(node: Node): ObjectLiteralExpression | undefined {
  const value = bare(node);
  return Node.isObjectLiteralExpression(value) ? value : undefined;
}

/** The text of a string literal; undefined if it is none. */
export function textOf(node: Expression | Node): string | undefined {
  const value = bare(node);
  return Node.isStringLiteral(value) || Node.isNoSubstitutionTemplateLiteral(value)
    ? value.getLiteralText()
    : undefined;
}

export function shortened(node: Node): string {
  const text = node.getText().replace(/\s+/g, ' ');
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}

/** A name as a property is written: quoted only if it must be. */
export function keyText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) || /^(0|[1-9]\d*)$/.test(name) ? name : quoted(name);
}

export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
}

function nameText(name: Node): string {
  return textOf(name) ?? name.getText();
}
