import { deepEqual, equal, match } from 'node:assert/strict';
import { DETAILS } from '../../workflows/contracts.ts';
import * as workflows from '../../workflows/index.ts';
import { roundSchedule, roundsOf } from '../../workflows/rounds.ts';

describe('what operators read of a run in the Temporal UI', () => {
  it('says of each kind what becomes of it when it is cancelled', () => {
    deepEqual(Object.keys(workflows).sort(), Object.keys(DETAILS).sort());
    for (const details of Object.values(DETAILS)) match(details, /cancel/i);
  });

  it('says it of rounds, too, which schedules start', () => {
    const rounds = roundsOf({ CRM_KIND: 'http', CRM_RESYNC_MINUTES: 1, PARTNER_KIND: 'http', PARTNER_MINUTES: 1 });
    for (const round of rounds) equal(roundSchedule(round).action.staticDetails, DETAILS[round.workflow]);
  });
});
