import type { Principal } from '@crm/access';
import { Database } from '@crm/database';
import { type Certification, certify } from '@crm/manifest';
import { Inject, Injectable } from '@nestjs/common';
import { isIdentifier } from '../catalogue/catalogue.repository.js';
import { MARKETPLACE_CONFIG, type MarketplaceConfig } from '../config.js';
import type { CertificationRun } from './certification.entity.js';
import { CertificationProbesFactory } from './certification.probes.js';
import { CertificationRepository } from './certification.repository.js';

export interface CertificationRequest {
  readonly manifest: Record<string, unknown>;
  readonly reviewPacket?: Record<string, unknown>;
}

/** Runs the suite with what this service knows of the key, its versions and the names on the network. */
@Injectable()
export class CertificationService {
  constructor(
    private readonly database: Database,
    private readonly certifications: CertificationRepository,
    private readonly probes: CertificationProbesFactory,
    @Inject(MARKETPLACE_CONFIG) private readonly config: MarketplaceConfig,
  ) {}

  /**
   * Certifies a package and stores the result.
   * @param mode a submission requires its review packet, a certification does not
   */
  async certify(
    principal: Pick<Principal, 'tenantId' | 'userId'>,
    { manifest, reviewPacket }: CertificationRequest,
    mode: CertificationRun['mode'],
  ): Promise<Certification> {
    const probes = this.probes.for(principal.tenantId);
    const { baseUrl } = this.config.service;
    const result = await certify(manifest, { reviewPacket, mode, probes, baseUrl });
    await this.database.transaction(principal.tenantId, (tx) =>
      this.certifications.insert(tx, {
        appKey: isIdentifier(manifest.key) ? manifest.key : null,
        version: isIdentifier(manifest.version) ? manifest.version : null,
        mode,
        result,
        createdBy: principal.userId,
      }),
    );
    return result;
  }
}
