// In a checkout a thread begins here, as the command begins in bin.js: it takes the sources first.
import { useSources } from './sources.js';

await useSources();
const { default: replicate } = await import('./replication.ts');

export default replicate;
