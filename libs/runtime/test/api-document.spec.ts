import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LeadService } from './lead-service.js';

let service: LeadService;
beforeAll(async () => {
  service = await LeadService.start();
});
afterAll(() => service?.close());

describe('the OpenAPI document of a service', () => {
  it('generates its OpenAPI document from the same declarations', async () => {
    const { json } = await service.call('GET', '/api/openapi.json');
    expect(json.openapi).toBe('3.1.1');
    expect(json.paths['/api/crm/leads'].post).toMatchObject({
      operationId: 'Lead_create',
      summary: 'Creates a lead',
      security: [{ bearer: [] }, { apiKey: [] }],
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/CreateLead' } } } },
    });
    expect(json.components.schemas.CreateLead).toMatchObject({
      required: ['lastName'],
      additionalProperties: false,
      properties: {
        email: { type: ['string', 'null'], format: 'email', maxLength: 254 },
        address: { $ref: '#/components/schemas/Address' },
      },
    });
    expect(json.paths['/api/crm/leads'].get.parameters.map(({ name }: { name: string }) => name)).toEqual([
      'page',
      'size',
      'cursor',
      'count',
    ]);
    expect(json.paths['/api/crm/leads/{id}'].patch.parameters).toContainEqual(
      expect.objectContaining({ name: 'If-Match', in: 'header', required: false }),
    );
    expect(Object.keys(json.paths)).not.toContain('/api/openapi.json');
  });

  it('documents the refusals that follow from the decorators of a route, and examples of its input', async () => {
    const { json } = await service.call('GET', '/api/openapi.json');
    const { patch } = json.paths['/api/crm/leads/{id}'];
    expect(Object.keys(patch.responses)).toEqual(expect.arrayContaining(['400', '404', '412', '429', '503']));
    expect(patch.responses['412'].content['application/problem+json'].examples).toEqual({
      VERSION_MISMATCH: { $ref: '#/components/examples/VERSION_MISMATCH' },
    });
    expect(json.components.examples.VERSION_MISMATCH.value).toMatchObject({ status: 412, code: 'VERSION_MISMATCH' });
    const { post } = json.paths['/api/crm/leads'];
    expect(post.description).toMatch(/^For users with the role `owner`, `admin` or `member`/);
    expect(post.requestBody.content['application/json'].example).toMatchObject({
      lastName: 'text',
      email: 'ada@example.com',
      status: 'new',
    });
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['401', '403', '413', '415', '422']));
    expect(post.responses['422'].description).toContain('VALIDATION_FAILED');
  });
});
