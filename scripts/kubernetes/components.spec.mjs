import { describe, expect, it } from '@jest/globals';
import { CONTEXT } from './contracts.mjs';
import { databases, find, ofKind } from './manifests.mjs';
import { renderWith } from './render-with.mjs';
import { agreementProblems, externalMetricsOf } from './rules/agreement.mjs';
import { manifestProblems } from './rules/index.mjs';
import { schemaProblems } from './schemas.mjs';

describe.each(['scaling-by-lag', 'cilium'])('production with the component %s', (component) => {
  it('renders, and no rule finds anything', async () => {
    expect(await manifestProblems(await renderWith(component), CONTEXT)).toEqual([]);
  });
});

describe('the component scaling-by-lag', () => {
  it('has each worker look at the processor and at its own lag', async () => {
    const all = await renderWith('scaling-by-lag');
    const scaled = ofKind(all, 'HorizontalPodAutoscaler').filter((scaler) => externalMetricsOf(scaler).length > 0);
    expect(scaled.map(({ metadata }) => metadata.name).sort()).toEqual(
      CONTEXT.workers.map(({ service }) => service).sort(),
    );
    for (const { spec } of scaled) {
      expect(spec.metrics.map((/** @type {any} */ { type }) => type)).toEqual(['Resource', 'External']);
    }
  });

  it('is not in production by itself: without the metric nothing would ever be scaled down', async () => {
    const all = await renderWith();
    expect(ofKind(all, 'HorizontalPodAutoscaler').flatMap(externalMetricsOf)).toEqual([]);
  });

  it('must be complete', async () => {
    const all = await renderWith('scaling-by-lag');
    const scaler = find(all, 'HorizontalPodAutoscaler', 'webhook-dispatcher');
    scaler?.spec.metrics.pop();
    expect(agreementProblems(all, CONTEXT)).toEqual([
      'HorizontalPodAutoscaler/webhook-dispatcher: it looks at the lag of "" instead of "webhook-dispatcher"',
    ]);
  });
});

describe('the component cilium', () => {
  it('lets every instance of PostgreSQL reach the API of Kubernetes, on the ports of the policy that it adds to', async () => {
    const all = await renderWith('cilium');
    const { spec } = /** @type {any} */ (find(all, 'CiliumNetworkPolicy', 'database-to-kubernetes-api'));
    // The operator gives each of its pods this label.
    expect(spec.endpointSelector).toEqual({ matchExpressions: [{ key: 'cnpg.io/cluster', operator: 'Exists' }] });
    expect(databases(all)).not.toEqual([]);
    const [{ toEntities, toPorts }] = spec.egress;
    expect(toEntities).toEqual(['kube-apiserver']);
    const base = find(all, 'NetworkPolicy', 'database-instances')?.spec.egress.at(-1).ports;
    expect(toPorts[0].ports).toEqual(
      base.map((/** @type {any} */ { port }) => ({ port: String(port), protocol: 'TCP' })),
    );
  });

  it('has a schema that finds an entity that Cilium does not know', async () => {
    const policy = find(await renderWith('cilium'), 'CiliumNetworkPolicy', 'database-to-kubernetes-api');
    const broken = structuredClone(/** @type {any} */ (policy));
    broken.spec.egress[0].toEntities = ['kubernetes-api'];
    expect(await schemaProblems(broken)).toEqual([
      expect.stringContaining('/spec/egress/0/toEntities/0 must be equal to one of the allowed values'),
    ]);
  });
});
