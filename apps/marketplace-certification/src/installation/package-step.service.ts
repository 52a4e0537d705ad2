import { coversScope, type ProvisionedHook, rpc } from '@crm/contracts';
import type { Manifest } from '@crm/manifest';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { WebhookSecretService } from '../webhook-secret/webhook-secret.service.js';
import { grantedWebhooks } from './granted-webhooks.js';
import type { Installation } from './installation.entity.js';
import type { StepResult } from './installation.repository.js';
import type { StepName } from './installation-state.js';
import { OAuthClientService } from './oauth-client.service.js';

export interface StepContext {
  readonly installation: Installation;
  readonly manifest: Manifest;
  /** Internal token of the acting user. */
  readonly token: string;
}

export interface StepOutcome {
  readonly result: StepResult;
  /** With their addresses; returned to the installing administrator and not stored here. */
  readonly hooks?: readonly ProvisionedHook[];
}

/** Provisions the parts of a package at the services that own them, and removes them again. Each call is idempotent. */
@Injectable()
export class PackageStepService {
  constructor(
    private readonly rpc: Rpc,
    private readonly secrets: WebhookSecretService,
    private readonly clients: OAuthClientService,
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
      case 'authorization':
        return this.provisionAuthorization(context);
    }
  }

  /**
   * Called on behalf of this service. An administrator had the right to begin; whether the removal or the undo is finished
   * cannot depend on anyone having that right still, or half of an app would stay and nobody could remove it.
   * @param request the installation and its tenant
   * @param discard also deletes what the tenant stored in the objects, and tells the app nothing: for the undo of an
   *   installation that failed
   * @throws PlatformError of the owning service
   */
  async undo(
    step: StepName,
    request: { readonly tenantId: string; readonly installationId: string; readonly appKey: string },
    discard: boolean,
  ): Promise<void> {
    const { tenantId, installationId, appKey } = request;
    switch (step) {
      case 'objects':
        await this.rpc.call(rpc.customObjects.removeObjects, { tenantId, installationId, discard });
        return;
      case 'workflows':
        await this.rpc.call(rpc.automations.removeWorkflows, { tenantId, installationId });
        return;
      case 'subscriptions':
        await this.rpc.call(rpc.webhooks.removeSubscriptions, { tenantId, installationId, discard });
        return;
      case 'authorization':
        await this.clients.end({ tenantId, installationId, appKey });
        return;
    }
  }

  /**
   * Ends the tokens of an installation that is removed, before anything that they reach. Also for an app that does not act for
   * users: it may have credentials.
   */
  async endTokens(request: { tenantId: string; installationId: string; appKey: string }): Promise<void> {
    await this.clients.end(request);
  }

  private async provisionAuthorization({ installation, manifest }: StepContext): Promise<StepOutcome> {
    await this.clients.register(installation, manifest);
    return { result: {} };
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
        secret: await this.secrets.ensureForInstallation(installation.appKey),
        webhooks: grantedWebhooks(manifest, installation.grantedScopes),
      },
      { token },
    );
    return { result: { subscriptions } };
  }
}

/** Returns the steps that a package needs with the granted scopes, in order. */
export function neededSteps(manifest: Manifest, grantedScopes: readonly string[]): StepName[] {
  const needed: [StepName, boolean][] = [
    ['objects', Boolean(manifest.objects?.length) && coversScope(grantedScopes, 'custom_objects')],
    ['workflows', Boolean(manifest.automations?.length) && coversScope(grantedScopes, 'automations')],
    ['subscriptions', grantedWebhooks(manifest, grantedScopes).length > 0],
    ['authorization', manifest.oauth !== undefined],
  ];
  return needed.filter(([, isNeeded]) => isNeeded).map(([name]) => name);
}

/** Parts of a certified manifest as calls between services carry them: the owner reads them with its own types. */
function asJsonObjects(parts: readonly object[]): Record<string, unknown>[] {
  return parts.map((part) => ({ ...part }));
}
