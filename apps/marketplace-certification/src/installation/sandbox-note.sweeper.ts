import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { InstallationRepository } from './installation.repository.js';
import { isOfSuspension, isUncertain } from './installation.saga.js';
import { OfferService } from './offer.service.js';
import { PackageStepService } from './package-step.service.js';

const EVERY_MS = 10 * 60_000;
const MOST = 100;

/**
 * Provisions again what sandboxes have from before webhook-dispatcher and automation-hooks were told that they are some. Not at the
 * start, when these may still be of the version before, which would not listen.
 */
@Injectable()
export class SandboxNoteSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly installations: InstallationRepository,
    private readonly offers: OfferService,
    private readonly packageSteps: PackageStepService,
  ) {
    super({ everyMs: EVERY_MS });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    const unnoted = await this.database.crossTenant((tx) => this.installations.listUnnotedSandboxes(tx, MOST));
    for (const { tenantId, id } of unnoted) {
      if (stopping?.aborted) return;
      try {
        await this.tellNeighbours(tenantId, id);
      } catch (err) {
        this.logger.warn({ msg: 'What a sandbox has is not known as such; install it again', err, installationId: id });
        // The next sweep tries again, unless a neighbour refuses it: who installed it has left, for example.
        if (isUncertain(err) || isOfSuspension(err)) continue;
      }
      await this.database.transaction(tenantId, (tx) => this.installations.noteSandbox(tx, id));
    }
  }

  private async tellNeighbours(tenantId: string, id: string): Promise<void> {
    const found = await this.database.transaction(tenantId, (tx) => this.installations.findWithSteps(tx, id));
    if (found?.installation.state !== 'active') return;
    const { installation, steps } = found;
    const manifest = await this.offers.getManifest(installation.versionId);
    for (const { name } of steps) {
      if (name === 'workflows' || name === 'subscriptions') {
        await this.packageSteps.provision(name, installation, manifest);
      }
    }
  }
}
