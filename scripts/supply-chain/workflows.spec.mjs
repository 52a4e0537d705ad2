import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { inRoot, ROOT } from '../root.mjs';

const FOLDER = inRoot('.github', 'workflows');
const workflows = readdirSync(FOLDER).map(
  (name) => /** @type {const} */ ([name, parse(readFileSync(path.join(FOLDER, name), 'utf8'))]),
);

/** An action of others by its commit; an image by its digest. */
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$|^docker:\/\/.+@sha256:[0-9a-f]{64}$|^\.\//;

/** @param {{ jobs: Record<string, { uses?: string, steps?: { uses?: string }[] }> }} workflow
 * @returns {string[]} what it uses of others without saying exactly which */
const unpinned = ({ jobs }) =>
  Object.values(jobs)
    .flatMap(({ uses, steps = [] }) => [uses, ...steps.map((step) => step.uses)])
    .filter((uses) => uses !== undefined)
    .filter((uses) => !PINNED.test(uses));

describe('continuous integration', () => {
  it.each(workflows)('%s uses nothing of others that can change under its name, and may only read', (_, workflow) => {
    expect(unpinned(workflow)).toEqual([]);
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  it('finds an action by tag, by branch, and a reusable workflow by tag', () => {
    const steps = [
      { uses: 'actions/checkout@v6' },
      { uses: 'actions/checkout@main' },
      { uses: 'actions/checkout@0123456789abcdef0123456789abcdef01234567' },
      { run: 'npm test' },
    ];
    expect(unpinned({ jobs: { one: { steps }, two: { uses: 'a/b/.github/workflows/c.yml@v1' } } })).toEqual([
      'actions/checkout@v6',
      'actions/checkout@main',
      'a/b/.github/workflows/c.yml@v1',
    ]);
  });

  it('runs what everybody runs', () => {
    const ci = new Map(workflows).get('ci.yml');
    expect(ci.jobs.test.steps.at(-1).run).toBe('.ci/run');
    expect(ci.jobs.audit.steps.at(-1).run).toBe('npm run audit');
  });

  it('checks out the commit that it is for', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'crm-checkout-'));
    try {
      const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { encoding: 'utf8', cwd: folder });
      git('init', '--quiet', 'platform/repository.git');
      const origin = path.join(folder, 'platform', 'repository.git');
      const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
      for (const subject of ['first', 'second']) {
        git('-C', origin, ...author, 'commit', '--quiet', '--allow-empty', '--message', subject);
      }
      const first = git('-C', origin, 'rev-parse', 'HEAD~1').trim();
      const checkout = path.join(folder, 'checkout');
      execFileSync('mkdir', [checkout]);
      execFileSync('bash', ['-euo', 'pipefail', '-c', new Map(workflows).get('ci.yml').env.CHECKOUT], {
        cwd: checkout,
        env: {
          ...process.env,
          TOKEN: 'token',
          GITHUB_SERVER_URL: `file://${folder}`,
          GITHUB_REPOSITORY: 'platform/repository',
          GITHUB_SHA: first,
        },
      });
      expect(execFileSync('git', ['log', '--format=%s'], { cwd: checkout, encoding: 'utf8' })).toBe('first\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('proposals of new versions', () => {
  it('cover everything that has versions, in groups', () => {
    const { updates } = parse(readFileSync(path.join(ROOT, '.github', 'dependabot.yml'), 'utf8'));
    const ecosystems = updates.map((/** @type {{ 'package-ecosystem': string }} */ one) => one['package-ecosystem']);
    expect(ecosystems.toSorted()).toEqual(['docker', 'docker-compose', 'github-actions', 'npm']);
  });
});
