import { serve } from '../api/serve.ts';
import { live } from './lifetime.ts';

// The HTTP API alone, against the services named by DATABASE_URL and TEMPORAL_ADDRESS.
await live('api', (env, log) => serve(env, log));
