import { describe, expect, it } from '@jest/globals';
import { allDashboards } from './files.mjs';

const dashboards = allDashboards();

describe('the dashboards', () => {
  it('have addresses and titles of their own', () => {
    expect(new Set(dashboards.map(([, { uid }]) => uid)).size).toBe(dashboards.length);
    expect(new Set(dashboards.map(([, { title }]) => title)).size).toBe(dashboards.length);
    expect(dashboards).toHaveLength(5);
  });
});

describe.each(dashboards)('%s', (_file, { panels, schemaVersion, templating }) => {
  it('is of a version that a current Grafana reads without a migration of its panels', () => {
    // From 36 on a source of data is an object with type and uid, from 37 on the legend is as it is here.
    expect(schemaVersion).toBeGreaterThanOrEqual(39);
  });

  it('asks the source of data that is chosen, for each panel', () => {
    expect(templating.list.map(({ name }) => name)).toContain('datasource');
    for (const { type, title, datasource, targets = [] } of panels) {
      if (type === 'row') continue;
      expect([title, datasource]).toEqual([title, { type: 'prometheus', uid: `\${datasource}` }]);
      expect([title, targets.length]).not.toEqual([title, 0]);
      for (const target of targets) expect(target.datasource.uid).toBe(`\${datasource}`);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    }
  });

  it('knows the variables that it uses', () => {
    const known = [...templating.list.map(({ name }) => name), '__rate_interval'];
    for (const [, name] of JSON.stringify(panels).matchAll(/\$\{?(\w+)/g)) expect(known).toContain(name);
  });
});
