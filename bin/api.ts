import { setLogger } from '@grpc/grpc-js';
import { serve } from '../api/serve.ts';
import { installConsole } from '../console/console.ts';
import { live } from './lifetime.ts';
import { sayWhatIsUnsafe, sayWhoIsAway } from './services.ts';

// The HTTP API with the console, against the services named by DATABASE_URL and TEMPORAL_ADDRESS.
await live('api', (env, log) => {
  // What the client of Temporal meets on its connections it would print between the lines of the log.
  const say = (...words: unknown[]) => log.warn({ words }, 'from the client of Temporal');
  setLogger({ error: say, info: say, debug: say });
  sayWhoIsAway(env, log, ['DATABASE_URL', 'TEMPORAL_ADDRESS']);
  sayWhatIsUnsafe(env, log);
  return serve(env, log, installConsole);
});
