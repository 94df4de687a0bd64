import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { envSchema, readEnv } from '../../config/env.ts';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';

const root = join(import.meta.dirname, '../..');
const chart = join(root, 'deploy/helm');
const HELM = process.env['HELM_PATH'] ?? 'helm';
const helm = (...args: string[]) => spawnSync(HELM, args, { encoding: 'utf8' });

const GIVEN = {
  secret: 'campaign-secrets',
  'settings.BASE_URL': 'https://campaign.example.org',
  'settings.MAIL_DOMAIN': 'example.org',
  'settings.DEFAULT_FROM': 'campaign@example.org',
  'settings.TEMPORAL_ADDRESS': 'temporal-frontend.temporal:7233',
};
const EVERYTHING = {
  'bounces.enabled': 'true',
  'worker.autoscaling.enabled': 'true',
  'api.autoscaling.enabled': 'true',
  'api.ingress.enabled': 'true',
  'api.ingress.host': 'campaign.example.org',
  'api.ingress.tlsSecret': 'tls',
  'codecServer.enabled': 'true',
  'monitoring.enabled': 'true',
  'monitoring.apiLogin': 'prometheus',
  files: 'certificates',
};

interface Container {
  command: string[];
  env: { name: string; value: string }[];
  ports?: { name: string; containerPort: number }[];
  resources: { limits: { memory: string } };
  securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean };
  [probe: string]: unknown;
}
interface Pod {
  terminationGracePeriodSeconds?: number;
  securityContext: { runAsNonRoot: boolean };
  containers: [Container];
  volumes: { name: string; secret?: { secretName: string } }[];
}
// biome-ignore lint/suspicious/noExplicitAny: an object of any kind
type Manifest = { kind: string; metadata: { name: string; annotations?: Record<string, string> }; spec: any };

function render(values: Record<string, string>): { manifests: Manifest[]; error: string } {
  const set = Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const { stdout, stderr, status } = helm('template', 'campaign', chart, '--kube-version', '1.31.0', ...set);
  if (status !== 0) return { manifests: [], error: stderr };
  return { manifests: parseAllDocuments(stdout).map((document) => document.toJS() as Manifest), error: '' };
}

const podOf = ({ spec }: Manifest): Pod => spec.template.spec;

describe('the Helm chart', () => {
  it('has values that are settings, and asks for the secrets production needs', () => {
    const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));
    for (const name of [...Object.keys(values.settings), ...values.secretKeys]) assert.ok(name in envSchema.properties, name);
    for (const name of ['SECRET_KEY', 'ADMIN_PASSWORD', 'DATABASE_URL']) assert.ok(values.secretKeys.includes(name), name);
  });

  describe('rendered', () => {
    let manifests: Manifest[];
    before(function () {
      if (helm('version').status !== 0) {
        console.log('      helm is not installed (HELM_PATH names one): the chart was not rendered');
        return this.skip();
      }
      ({ manifests } = render({ ...GIVEN, ...EVERYTHING }));
    });

    const named = (kind: string, name: string) =>
      manifests.find((each) => each.kind === kind && each.metadata.name === `campaign-${name}`)!;
    const withPods = () => manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');

    it('has what is scraped known by the names the alerts ask for', () => {
      const asked = readFileSync(join(root, 'monitoring/alerts.yaml'), 'utf8').matchAll(/job="([^"]+)"/g);
      const endpoints = [named('ServiceMonitor', 'api').spec.endpoints, named('PodMonitor', 'worker').spec.podMetricsEndpoints].flat();
      const jobs = endpoints.flatMap(({ relabelings = [] }) =>
        relabelings
          .filter(({ targetLabel }: { targetLabel: string }) => targetLabel === 'job')
          .map(({ replacement }: { replacement: string }) => replacement),
      );
      assert.deepEqual(jobs, [...new Set([...asked].map(([, job]) => job))]);
    });

    it('is what helm accepts, in its strictest way', () => {
      const { status, stdout } = helm(
        'lint',
        '--strict',
        chart,
        ...Object.entries(GIVEN).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
      );
      assert.equal(status, 0, stdout);
    });

    it('has every part, and by default no more than API, workers and the migration before them', () => {
      assert.deepEqual(
        manifests.map(({ kind, metadata }) => `${kind} ${metadata.name.replace('campaign-', '')}`).sort(),
        [
          ...[
            'Deployment api',
            'Deployment bounces',
            'Deployment codec-server',
            'Deployment worker',
            'HorizontalPodAutoscaler api',
            'Ingress api',
          ],
          ...['Job migrate', 'NetworkPolicy api', 'NetworkPolicy bounces', 'NetworkPolicy worker', 'PodDisruptionBudget api'],
          ...['PodDisruptionBudget bounces', 'PodDisruptionBudget worker', 'PodMonitor worker', 'ScaledObject worker', 'Service api'],
          ...['Service bounces', 'Service codec-server', 'ServiceMonitor api'],
        ].sort(),
      );
      const least = render(GIVEN).manifests;
      assert.deepEqual(
        least
          .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
          .map(({ metadata }) => metadata.name)
          .sort(),
        ['campaign-api', 'campaign-migrate', 'campaign-worker'],
      );
      assert.deepEqual(
        least.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.replicas),
        [2, 2],
      );
      assert.equal(named('Deployment', 'worker').spec.replicas, undefined, 'counted by what waits');
      assert.equal(named('Job', 'migrate').metadata.annotations!['helm.sh/hook'], 'pre-install,pre-upgrade');
    });

    it('runs programs there are, on settings that are accepted, with secrets from files', () => {
      const folder = dataFolder();
      const secrets: Record<string, string> = {
        DATABASE_URL: 'postgresql://campaign:pw@pg/campaign',
        SECRET_KEY: 'a key of its own',
        ADMIN_PASSWORD: 'a password of its own',
        SMTP_URL: 'smtp://relay',
      };
      for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), value);
      for (const manifest of withPods()) {
        const { containers, volumes } = podOf(manifest);
        const [{ command, env }] = containers;
        assert.ok(readFileSync(join(root, command.at(-1)!), 'utf8').includes('live('));
        const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
        for (const name of Object.keys(given)) assert.ok(name.replace(/_FILE$/, '') in envSchema.properties, name);
        assert.ok(!env.some(({ name }) => name in secrets), 'no secret stands in a manifest');
        const mounted = Object.entries(given).map(([name, value]) => [name, value.replace('/run/secrets/campaign', folder)]);
        const settings = readEnv(Object.fromEntries(mounted));
        assert.deepEqual(
          [settings.NODE_ENV, settings.SECRET_KEY, settings.REPORT_FILES],
          ['production', secrets['SECRET_KEY'], 'database'],
        );
        assert.equal(volumes.find(({ name }) => name === 'secrets')!.secret!.secretName, GIVEN.secret);
      }
    });

    it('probes where each part answers, and gives it time to end', () => {
      const [api, worker] = [podOf(named('Deployment', 'api')), podOf(named('Deployment', 'worker'))];
      const setting = (pod: Pod, name: string) => pod.containers[0].env.find((each) => each.name === name)!.value;
      const portOf = (pod: Pod, name: string) => pod.containers[0].ports!.find((port) => port.name === name)!.containerPort;
      assert.equal(String(portOf(api, 'http')), setting(api, 'PORT'));
      assert.match(setting(worker, 'WORKER_HEALTH'), new RegExp(`:${portOf(worker, 'health')}$`));
      assert.match(setting(worker, 'WORKER_METRICS'), new RegExp(`:${portOf(worker, 'metrics')}$`));
      for (const { containers } of [api, worker]) {
        const [{ livenessProbe, readinessProbe }] = containers as [Record<string, { httpGet: { path: string } }>];
        assert.deepEqual([livenessProbe!.httpGet.path, readinessProbe!.httpGet.path], ['/health/live', '/health/ready']);
      }
      assert.ok(api.terminationGracePeriodSeconds! > Number(setting(api, 'API_DRAIN_SECONDS')));
      const grace = Number(setting(worker, 'SHUTDOWN_GRACE_SECONDS'));
      assert.ok(grace > Number(setting(worker, 'SMTP_TIMEOUT_MS')) / 1000 + 5 && worker.terminationGracePeriodSeconds! > grace);
    });

    it('lets no part be root, write to its image or take all memory', () => {
      for (const manifest of withPods()) {
        const { securityContext, containers } = podOf(manifest);
        const [container] = containers;
        assert.deepEqual(
          [
            securityContext.runAsNonRoot,
            container.securityContext.readOnlyRootFilesystem,
            container.securityContext.allowPrivilegeEscalation,
          ],
          [true, true, false],
        );
        assert.ok(container.resources.limits.memory);
      }
    });

    it('counts workers by the slices that wait, of their build where they have one, as somebody Temporal lets in', () => {
      const scaled = (more: Record<string, string>) =>
        render({ ...GIVEN, 'worker.autoscaling.enabled': 'true', ...more }).manifests.find(({ kind }) => kind === 'ScaledObject')!.spec;
      const plain = {
        endpoint: GIVEN['settings.TEMPORAL_ADDRESS'],
        namespace: 'campaign',
        taskQueue: TASK_QUEUE.sending,
        queueTypes: 'activity',
        targetQueueSize: '2',
      };
      assert.deepEqual(scaled({}).triggers, [{ type: 'temporal', metadata: plain }]);
      const more = {
        'settings.WORKER_BUILD_ID': 'v2',
        'settings.TEMPORAL_TLS_SERVER_NAME': 'temporal.example.org',
        'worker.autoscaling.authentication': 'temporal',
      };
      const build = { workerDeploymentName: readEnv({}).WORKER_DEPLOYMENT, workerDeploymentBuildId: 'v2' };
      assert.deepEqual(scaled(more).triggers, [
        {
          type: 'temporal',
          metadata: { ...plain, tlsServerName: 'temporal.example.org', ...build },
          authenticationRef: { name: 'temporal' },
        },
      ]);
      assert.equal(scaled({}).scaleTargetRef.name, 'campaign-worker');
    });

    it('says what is missing, and writes large numbers as they are', () => {
      for (const name of Object.keys(GIVEN))
        assert.match(render({ ...GIVEN, [name]: '' }).error, new RegExp(name.replace('settings.', '')));
      const { manifests: others } = render({ ...GIVEN, 'settings.API_BODY_LIMIT': '20000000', 'settings.TRACES_RATIO': '0.25' });
      const env = podOf(others.find(({ kind }) => kind === 'Job')!).containers[0].env;
      for (const [name, value] of [
        ['API_BODY_LIMIT', '20000000'],
        ['TRACES_RATIO', '0.25'],
      ])
        assert.equal(env.find((each) => each.name === name)!.value, value);
    });
  });
});
