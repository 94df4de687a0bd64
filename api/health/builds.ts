import { isDeepStrictEqual } from 'node:util';
import type { Build } from '../../config/pollers.ts';
import { type Finding, wrong } from '../../domain/finding.ts';

/**
 * Runs that go to a build of the workers of which there is none, each by its own word: `workers current`, or `ramp`, in Temporal or here. They wait, the sweep among them, though workers
 * of other builds ask for work as ever.
 */
export function lookAtRoutes(routes: { build: Build; percent: number }[], there: Build[]): Finding[] {
  const lost = routes.filter(({ build }) => !there.some((one) => isDeepStrictEqual(one, build)));
  return lost.map(({ build, percent }) => {
    const runs = percent === 100 ? 'runs go' : `${Number(percent.toPrecision(7))} % of runs go`;
    const whom = build ? `to build ${build.build} of ${build.deployment}` : 'to workers without WORKER_BUILD_ID';
    const undo = percent === 100 || routes[0]!.build === build ? `current ${nameOf(there[0])}` : `ramp ${nameOf(build)} 0`;
    return wrong(
      'workers',
      `${runs} ${whom}, of which none is there`,
      `start one, or give its runs to another: npm run --silent cli -- workers ${undo}`,
    );
  });
}

const nameOf = (build: Build | undefined): string => build?.build ?? 'none';
