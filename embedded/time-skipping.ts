import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { cacheFolder, downloadsAnswer } from './cache-folder.ts';
import { oneAtATime } from './pid-lock.ts';
import { freePort } from './ports.ts';
import { onPath } from './temporal-binary.ts';

const VERSION = '1.38.0';

/**
 * A Temporal test server on which a month passes in a moment: downloaded by the SDK, or, where that is out of reach, taken from Maven. It
 * has no list of workflows, no schedules and no search attributes of ours.
 * @throws Error saying what is missing when there is no way to get one
 */
export async function startTimeSkipping(say: (what: string) => void): Promise<TestWorkflowEnvironment> {
  const executable = await timeSkippingServer(say);
  for (let tries = 1; ; tries++) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
    } catch (error) {
      // The SDK waits five seconds for it, which is short for a Java program on a machine with much else to do.
      if (tries === 60 || !/did not start within/.test(String(error))) throw error;
    }
  }
}

/** Gets the server if it is not there yet. @returns what the SDK starts */
export async function timeSkippingServer(say: (what: string) => void) {
  const jars = join(cacheFolder(), `time-skipping-${VERSION}`);
  const path = join(jars, 'test-server');
  if (!existsSync(path)) {
    if (await downloadsAnswer()) return { type: 'cached-download', downloadDir: cacheFolder('sdk') } as const;
    const waiting = () => say('waiting for another process that is getting the time-skipping server');
    await oneAtATime(`${jars}.lock`, waiting, async () => existsSync(path) || fromMaven(jars, say));
  }
  return { type: 'existing-path', path } as const;
}

const archiveIn = (jars: string) => join(jars, 'classes.jsa');
const serverIn = (jars: string) => [
  '-Xlog:disable',
  '-XX:TieredStopAtLevel=1',
  '-cp',
  `${jars}/jars/*`,
  'io.temporal.testserver.TestServer',
];

/** Keeps its classes as they are once it runs, so that each later start takes a half of the processor time; it starts without them, too. */
async function archiveClasses(jars: string): Promise<void> {
  const program = [`-XX:ArchiveClassesAtExit=${archiveIn(jars)}`, ...serverIn(jars), String(await freePort())];
  // It ends, and writes them, when it is told to.
  await promisify(execFile)('java', program, { timeout: 10_000 }).catch(() => {});
}

async function fromMaven(jars: string, say: (what: string) => void): Promise<void> {
  const maven = onPath('mvn');
  if (!maven || !onPath('java'))
    throw new Error('The time-skipping server cannot be downloaded, and there is no Maven with Java to get it');
  say('getting the time-skipping test server from Maven: once, about a minute');
  rmSync(jars, { recursive: true, force: true });
  mkdirSync(jars, { recursive: true });
  const dependency = `<dependency><groupId>io.temporal</groupId><artifactId>temporal-test-server</artifactId><version>${VERSION}</version></dependency>`;
  writeFileSync(
    join(jars, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>campaign.platform</groupId>
      <artifactId>test-server</artifactId><version>1</version><dependencies>${dependency}</dependencies></project>`,
  );
  await promisify(execFile)(maven, ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=jars'], {
    cwd: jars,
    timeout: 600_000,
  });
  await archiveClasses(jars);
  // The SDK runs one program with a port and a flag, which is what the class takes. Last, for by it the others know that all is there.
  const words = [`-XX:SharedArchiveFile=${archiveIn(jars)}`, ...serverIn(jars)].map((word) => `'${word}'`);
  const script = `#!/bin/sh\nexec java ${words.join(' ')} "$@" 2>/dev/null\n`;
  writeFileSync(join(jars, 'test-server'), script, { mode: 0o755 });
}
