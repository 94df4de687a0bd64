import { codecServer } from '../api/codec-server.ts';
import { SettingError } from '../config/env.ts';
import { payloadCodec } from '../config/payload-codec.ts';
import { live } from './lifetime.ts';

// Lets the Temporal UI and the Temporal command line read what PAYLOAD_KEYS encrypts, on CODEC_PORT of this machine.
await live('codec-server', async (env, log) => {
  const codec = payloadCodec(env);
  if (!codec) throw new SettingError('PAYLOAD_KEYS is not set: nothing is encrypted');
  const app = codecServer(codec, env.TEMPORAL_UI_URL);
  const url = await app.listen({ host: env.CODEC_HOST, port: env.CODEC_PORT });
  log.info({ url }, 'decrypts for the Temporal UI');
  return { stop: () => app.close() };
});
