import { register } from 'node:module';

/** Makes `import` take TypeScript, and `offstage` mean the sources instead of compiled code. */
export async function useSources() {
  // Its hundreds of small modules take twice as long once TypeScript is looked for in each import.
  await import('typebox/compile');
  const { register: registerTypeScript } = await import('tsx/esm/api');
  registerTypeScript();
  register(import.meta.url);
}

/**
 * A Node resolve hook: package.json names the sources under the condition offstage-source, which
 * this adds to every import, as the flag --conditions would have done before the start.
 * @public
 */
export function resolve(specifier, context, next) {
  return next(specifier, { ...context, conditions: [...context.conditions, 'offstage-source'] });
}
