/** The code blocks of one language in a document. */
export function blocksOf(language: string, text: string): readonly string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...text.matchAll(pattern)].map(([, code]) => code as string);
}
