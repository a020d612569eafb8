/** A unified diff, as the source will read or reads. */

export function DiffView({ diff }: { readonly diff: string }) {
  // The first lines only name the file, which is named above.
  const lines = diff.split('\n').slice(4);
  return (
    <pre className="diff">
      {lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names, and a diff is shown whole.
        <span key={i} className={classOf(line)}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  );
}

function classOf(line: string): string | undefined {
  if (line.startsWith('+')) return 'put';
  if (line.startsWith('-')) return 'out';
  return line.startsWith('@@') ? 'faint' : undefined;
}
