// A Node resolve hook: in a checkout `import 'offstage'` gives the sources. package.json names them
// under the condition offstage-source, which this adds to every import, as --conditions would.
export function resolve(specifier, context, next) {
  return next(specifier, { ...context, conditions: [...context.conditions, 'offstage-source'] });
}
