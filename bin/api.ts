import { serve } from '../api/serve.ts';
import { installConsole } from '../console/console.ts';
import { live } from './lifetime.ts';
import { sayWhatIsUnsafe, sayWhoIsAway } from './services.ts';

// The HTTP API with the console, against the services named by DATABASE_URL and TEMPORAL_ADDRESS.
await live('api', (env, log) => {
  sayWhoIsAway(env, log, ['DATABASE_URL', 'TEMPORAL_ADDRESS']);
  sayWhatIsUnsafe(env, log);
  return serve(env, log, installConsole);
});
