/** What a schema has against a value, for people. */

/** An error as TypeBox tells it. */
export interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

interface Params {
  readonly requiredProperties?: readonly string[];
  readonly additionalProperties?: readonly string[];
  readonly allowedValue?: unknown;
  readonly allowedValues?: readonly unknown[];
}

/** The first thing that is wrong. Given the value, it names the object it is in by its id. */
export function whatIsWrong(errors: readonly SchemaError[], value?: unknown): string {
  const error = firstMeant(errors);
  if (error === undefined) return 'it does not fit';
  const { instancePath } = error;
  const whose = idAlong(instancePath, value);
  const where = instancePath === '' ? 'it' : instancePath.slice(1);
  return `${where}${whose === undefined ? '' : ` of '${whose}'`} ${whyText(error, errors)}`;
}

/**
 * Of a union every branch complains. A branch that wants another constant than is there was not
 * meant, so what the others say is worth more. That no branch fits, and `false`, the schema of what
 * must not be there, are said better by another error.
 */
function firstMeant(errors: readonly SchemaError[]): SchemaError | undefined {
  const telling = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'boolean');
  const unmeant = new Set(
    telling.filter(({ keyword }) => keyword === 'const').flatMap((error) => branchOf(error) ?? []),
  );
  const meant = telling.find((error) => !unmeant.has(branchOf(error) ?? ''));
  return meant ?? telling.find(({ keyword }) => keyword === 'const') ?? errors[0];
}

function branchOf({ schemaPath }: SchemaError): string | undefined {
  return /^.*\/(?:anyOf|oneOf)\/\d+/.exec(schemaPath)?.[0];
}

function whyText(error: SchemaError, errors: readonly SchemaError[]): string {
  const params: Params = error.params;
  switch (error.keyword) {
    case 'required':
      return `must have ${listed(params.requiredProperties ?? [])}`;
    case 'additionalProperties':
      return `must not have ${listed(params.additionalProperties ?? [])}`;
    case 'boolean':
      return 'must not be there';
    case 'enum':
      return `must be one of: ${listed(params.allowedValues ?? [])}`;
    case 'const': {
      const choices = errors
        .filter(({ keyword, instancePath }) => {
          return keyword === 'const' && instancePath === error.instancePath;
        })
        .map((choice) => (choice.params as Params).allowedValue);
      return `must be ${choices.length > 1 ? 'one of: ' : ''}${listed([...new Set(choices)])}`;
    }
    default:
      return error.message;
  }
}

function listed(values: readonly unknown[]): string {
  return values
    .map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)))
    .join(', ');
}

/** The id of the innermost object on the way to the error that has one. */
function idAlong(instancePath: string, value: unknown): string | undefined {
  let found: string | undefined;
  let at = value;
  for (const step of instancePath.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) break;
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at = Object.hasOwn(at, key) ? (at as Readonly<Record<string, unknown>>)[key] : undefined;
    if (typeof at !== 'object' || at === null || !('id' in at)) continue;
    if (typeof at.id === 'string') found = at.id;
  }
  return found;
}
