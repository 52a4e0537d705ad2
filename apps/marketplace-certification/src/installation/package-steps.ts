import { coversScope, type ProvisionedHook, rpc } from '@crm/contracts';
import type { Manifest } from '@crm/manifest';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { WebhookSecretService } from '../webhook-secret/webhook-secret.service.js';
import { grantedWebhooks } from './granted-webhooks.js';
import type { Installation, StepName } from './installation.js';
import type { StepResult } from './installation.repository.js';

export interface StepContext {
  readonly installation: Installation;
  readonly manifest: Manifest;
  /** Internal token of the acting user. */
  readonly token: string;
}

export interface StepOutcome {
  readonly result: StepResult;
  /** With their addresses; handed to the installing administrator and stored nowhere here. */
  readonly hooks?: readonly ProvisionedHook[];
}

/** Puts the parts of a package in place at the services that own them, and takes them away again. Each is idempotent. */
@Injectable()
export class PackageSteps {
  constructor(
    private readonly rpc: Rpc,
    private readonly secrets: WebhookSecretService,
  ) {}

  /** @throws PlatformError of the owning service */
  provision(step: StepName, context: StepContext): Promise<StepOutcome> {
    switch (step) {
      case 'objects':
        return this.provisionObjects(context);
      case 'workflows':
        return this.provisionWorkflows(context);
      case 'subscriptions':
        return this.provisionSubscriptions(context);
    }
  }

  /**
   * Called in this service's own name. An administrator had the right to begin; that it is ended, or gone back on, must not
   * depend on whether somebody has the right still, or half of an app would stay with nobody to remove it.
   * @param request the installation and its tenant
   * @param discard also forgets what the tenant stored in the objects: the undo of an installation that failed
   * @throws PlatformError of the owning service
   */
  async undo(
    step: StepName,
    request: { readonly tenantId: string; readonly installationId: string },
    discard: boolean,
  ): Promise<void> {
    const { tenantId, installationId } = request;
    switch (step) {
      case 'objects':
        await this.rpc.call(rpc.customObjects.removeObjects, { tenantId, installationId, discard });
        return;
      case 'workflows':
        await this.rpc.call(rpc.automations.removeWorkflows, { tenantId, installationId });
        return;
      case 'subscriptions':
        await this.rpc.call(rpc.webhooks.removeSubscriptions, { tenantId, installationId });
        return;
    }
  }

  private async provisionObjects({ installation, manifest, token }: StepContext): Promise<StepOutcome> {
    const { objects } = await this.rpc.call(
      rpc.customObjects.provisionObjects,
      {
        installationId: installation.id,
        appKey: installation.appKey,
        sandbox: installation.sandbox,
        objects: asJsonObjects(manifest.objects ?? []),
      },
      { token },
    );
    return { result: { objects } };
  }

  private async provisionWorkflows({ installation, manifest, token }: StepContext): Promise<StepOutcome> {
    const { hooks } = await this.rpc.call(
      rpc.automations.provisionWorkflows,
      {
        installationId: installation.id,
        appKey: installation.appKey,
        grantedScopes: installation.grantedScopes,
        objectNames: Object.fromEntries(installation.objects.map((object) => [object.declaredApiName, object.apiName])),
        automations: asJsonObjects(manifest.automations ?? []),
      },
      { token },
    );
    return { result: { hooks: hooks.map(({ key, workflowId }) => ({ key, workflowId })) }, hooks };
  }

  private async provisionSubscriptions({ installation, manifest, token }: StepContext): Promise<StepOutcome> {
    const { subscriptions } = await this.rpc.call(
      rpc.webhooks.provisionSubscriptions,
      {
        installationId: installation.id,
        appKey: installation.appKey,
        secret: await this.secrets.forInstallation(installation.appKey),
        webhooks: grantedWebhooks(manifest, installation.grantedScopes),
      },
      { token },
    );
    return { result: { subscriptions } };
  }
}

/** The steps that a package needs with the scopes it was granted, in order. */
export function neededSteps(manifest: Manifest, grantedScopes: readonly string[]): StepName[] {
  const needed: [StepName, boolean][] = [
    ['objects', Boolean(manifest.objects?.length) && coversScope(grantedScopes, 'custom_objects')],
    ['workflows', Boolean(manifest.automations?.length) && coversScope(grantedScopes, 'automations')],
    ['subscriptions', grantedWebhooks(manifest, grantedScopes).length > 0],
  ];
  return needed.filter(([, is]) => is).map(([name]) => name);
}

/** Parts of a certified manifest as the calls between services carry them: their owner reads them with its own types. */
function asJsonObjects(parts: readonly object[]): Record<string, unknown>[] {
  return parts.map((part) => ({ ...part }));
}
