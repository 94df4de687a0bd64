import assert from 'node:assert/strict';
import { wrongLicences } from '../../config/licences.ts';

describe('licences', () => {
  it('are refused when not allowed, whatever they are joined with', () => {
    const packages = {
      '': { license: 'Apache-2.0' },
      'node_modules/free': { license: 'MIT' },
      'node_modules/choice': { license: '(MIT OR GPL-3.0)' },
      'node_modules/both': { license: 'MIT AND GPL-3.0' },
      'node_modules/viral': { license: 'AGPL-3.0' },
      'node_modules/silent': {},
      'node_modules/known': {},
      'node_modules/tool': { license: 'GPL-3.0', dev: true },
    };
    assert.deepEqual(wrongLicences(packages, { 'node_modules/known': 'Unlicense' }), [
      'node_modules/both: MIT AND GPL-3.0',
      'node_modules/viral: AGPL-3.0',
      'node_modules/silent: none',
    ]);
  });
});
