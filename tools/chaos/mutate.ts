import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { spoil, spoiledSources } from './mutants.ts';

// Loaded into a program before anything else (node --import): its sources are spoiled as the mutant CHAOS_MUTANT has it.

const sources = spoiledSources(process.env['CHAOS_MUTANT']!);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const changes = url.startsWith('file:') ? sources.get(fileURLToPath(url)) : undefined;
    return changes ? { ...loaded, source: spoil(String(loaded.source), changes) } : loaded;
  },
});
