import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { newId } from '@crm/database';
import type { ReceiverCertificate } from '@crm/testing';
import { demoReceiverCertificate } from '../../scripts/platform/demo-receiver.mjs';
import { Endpoint, FAILURES } from './endpoint.js';

const TENANTS = 10;
/** Each tenant has so many. */
const SUBSCRIPTIONS = 2;
/** One of all 20 endpoints: 5%. */
const HANGING = 1;

/** The endpoints of all tenants, with one certificate. */
export class Endpoints {
  private constructor(
    readonly all: readonly Endpoint[],
    readonly tenantIds: readonly string[],
    /** PEM of the authority to trust. */
    readonly ca: string,
  ) {}

  static async start(seed: number): Promise<Endpoints> {
    const certificate = await makeCertificate();
    const firstFailures = FAILURES.map(({ answer }) => answer);
    const all = await Promise.all(
      Array.from({ length: TENANTS * SUBSCRIPTIONS }, (_, index) =>
        Endpoint.start({ seed, name: `endpoint ${index}`, certificate, hangs: index < HANGING, firstFailures }),
      ),
    );
    const tenantIds = Array.from({ length: TENANTS }, newId);
    for (const [index, endpoint] of all.entries()) endpoint.tenantId = tenantIds[index % TENANTS] ?? '';
    return new Endpoints(all, tenantIds, certificate.ca);
  }

  get haveHung(): boolean {
    return this.all.every((endpoint) => endpoint.hasHung);
  }

  /** Those that hang answer from now on. */
  endHanging(): void {
    for (const endpoint of this.all) endpoint.isHanging = false;
  }

  countRequests(): number {
    return this.all.reduce((sum, endpoint) => sum + endpoint.requests, 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((endpoint) => endpoint.close()));
  }
}

async function makeCertificate(): Promise<ReceiverCertificate> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-faults-receiver-'));
  try {
    const { keyFile, certFile, caFile } = await demoReceiverCertificate(folder);
    const [key, cert, ca] = await Promise.all([keyFile, certFile, caFile].map((file) => readFile(file, 'utf8')));
    return { key, cert, ca } as ReceiverCertificate;
  } finally {
    await rm(folder, { recursive: true });
  }
}
