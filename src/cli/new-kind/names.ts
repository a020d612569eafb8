/** What a kind is called in its files. */
import { CommandError } from '../../core/errors.ts';
import { NAME_PATTERN } from '../../core/names.ts';

export interface KindNames {
  /** As in `defineKind`, and in the names of its files. */
  readonly name: string;
  /** The kind's constant. */
  readonly kind: string;
  /** The machine's constant. */
  readonly machine: string;
  /** As in a sentence: `a water mill`. */
  readonly words: string;
}

/** Words that a constant cannot be called, because the language or the files have them already. */
const TAKEN = new Set(
  `break case catch class const continue debugger default delete do else enum export extends false
  finally for function if import in instanceof new null return super switch this throw true try typeof
  var void while with yield let static await async arguments eval implements interface package private
  protected public undefined kinds test expect fc testKind checkKind defineKind stub setup assign emit
  linksOf toBeWritten Type`.split(/\s+/),
);

/** Throws `BAD_NAME` if no kind can be called that. */
export function namesOf(name: string): KindNames {
  if (!NAME_PATTERN.test(name)) {
    throw new CommandError(
      'BAD_NAME',
      `'${name}' is no name of a kind; use up to 64 lower case letters, digits, '-' and '_', a letter or digit first, such as water-mill.`,
    );
  }
  const identifier = identifierOf(name);
  const kind = TAKEN.has(identifier) ? `the${capital(identifier)}` : identifier;
  const machine = `${identifier}Machine`;
  return { name, kind, machine, words: name.replace(/[-_]+/g, ' ').trim() };
}

/** `water-mill` as `waterMill`. */
function identifierOf(name: string): string {
  const camel = name.replace(/[-_]+(.?)/g, (_, next: string) => next.toUpperCase());
  return /^\d/.test(camel) ? `kind${camel}` : camel;
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
