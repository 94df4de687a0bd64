import { live } from './lifetime.ts';
import { sayWhatIsUnsafe, sayWhoIsAway } from './services.ts';

// The HTTP API with the console, against the services named by DATABASE_URL and TEMPORAL_ADDRESS. It is loaded once the settings are known to be of use: that takes a second.
await live('api', async (env, log) => {
  const { setLogger } = await import('@grpc/grpc-js');
  // What the client of Temporal meets on its connections it would print between the lines of the log.
  const say = (...words: unknown[]) => log.warn({ words }, 'from the client of Temporal');
  setLogger({ error: say, info: say, debug: say });
  sayWhoIsAway(env, log, ['DATABASE_URL', 'TEMPORAL_ADDRESS']);
  sayWhatIsUnsafe(env, log);
  const { serve } = await import('../api/serve.ts');
  const { installConsole } = await import('../console/console.ts');
  return serve(env, log, installConsole);
});
