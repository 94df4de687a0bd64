import { live } from './lifetime.ts';

// The whole platform on this machine, for good: whatever no setting names runs embedded, with its data in DATA_DIR.
await live('start', async (env) => {
  const { startPlatform } = await import('../embedded/platform.ts');
  const platform = await startPlatform(env, {
    say: (what) => console.log(`… ${what}`),
    onCrash: (name, how, pauseMs) => console.log(`${name} ended (${how}), starting it again${pauseMs ? ` in ${pauseMs / 1000} s` : ''}`),
    onRestart: (name) => console.log(`${name} is up again`),
  });
  console.log('\nThe campaign platform is up.\n');
  for (const [what, address] of Object.entries(platform.addresses)) console.log(`  ${what.padEnd(18)} ${address}`);
  console.log(`\n  Log in as ${env.ADMIN_USERNAME}. Data is kept in ${env.DATA_DIR}. Ctrl-C stops everything in order.\n`);
  return platform;
});
