import { APP_NOTICE_CODES, APP_STATUSES, NOTICE_SEVERITIES } from '@crm/contracts';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  field,
  IdField,
  IntegerField,
  ListField,
  ListQuery,
  ObjectField,
  TextField,
} from '@crm/http';
import { INSTALLATION_STATES, STEP_NAMES, STEP_STATES } from './installation.entity.js';

export class InstallInput {
  @TextField({ maxLength: 64, description: 'Key of the app', example: 'site-visits' }) appKey: string;

  @TextField({
    optional: true,
    minLength: 1,
    maxLength: 64,
    description: 'The published version by default',
    example: '1.0.0',
  })
  version?: string;

  @BooleanField({
    optional: true,
    description:
      'Installs a sandbox: object names get the prefix `sbx_`. The publisher can also install a version in review',
  })
  sandbox?: boolean;

  @ListField(field.text({ maxLength: 40 }), {
    optional: true,
    description: "All scopes the app requests that aren't optional, by default",
  })
  grantedScopes?: string[];
}

export class InstallationQuery extends ListQuery {
  @EnumField([...INSTALLATION_STATES, 'all'], {
    optional: true,
    description: 'Only installations in this state; installed and in progress by default',
  })
  state?: string;
}

export class InstalledObjectView {
  @TextField({ maxLength: 40 }) declaredApiName: string;
  @TextField({ maxLength: 120, description: 'The API name in this workspace' }) apiName: string;
}

export class InstalledHookView {
  @TextField({ maxLength: 100 }) key: string;
  @IdField() workflowId: string;

  @TextField({ optional: true, maxLength: 2048, description: 'Includes the secret. For admins only' })
  url?: string;
}

export class InstalledSubscriptionView {
  @IdField() id: string;
  @TextField({ maxLength: 2048 }) url: string;
  @ListField(field.text({ maxLength: 100 }), { example: ['lead.created'] }) events: string[];
}

export class ErrorView {
  @TextField({ maxLength: 100 }) code: string;
  @TextField({ maxLength: 10_000 }) detail: string;
}

export class FailureView extends ErrorView {
  @EnumField(STEP_NAMES) step: string;
}

export class StepView {
  @EnumField(STEP_NAMES) name: string;
  @EnumField(STEP_STATES) state: string;
  @ObjectField(() => ErrorView, { optional: true }) error?: ErrorView;
}

export class NoticeView {
  @EnumField(APP_NOTICE_CODES) code: string;
  @EnumField(NOTICE_SEVERITIES) severity: string;
  @TextField({ maxLength: 10_000 }) detail: string;

  @ListField(field.text({ maxLength: 100 }), {
    optional: true,
    description: 'The fields it is about, as `object.field` of the package',
    example: ['site_visit.hourly_rate'],
  })
  fields?: string[];
}

/** What an administrator is asked for before an app is installed. */
export class ConsentPreviewView {
  @TextField({ maxLength: 64 }) appKey: string;
  @TextField({ maxLength: 200 }) name: string;
  @TextField({ maxLength: 64 }) version: string;
  @BooleanField() sandbox: boolean;
  @ListField(field.text({ maxLength: 40 }), { example: ['leads:read'] }) grantedScopes: string[];
  @ListField(() => NoticeView, { description: 'What to know before installing, most important first' })
  notices: NoticeView[];
}

export class InstallationView {
  @IdField() id: string;
  @EnumField(INSTALLATION_STATES) state: string;
  @TextField({ maxLength: 64 }) appKey: string;
  @TextField({ maxLength: 64 }) version: string;
  @BooleanField() sandbox: boolean;
  @ListField(field.text({ maxLength: 40 })) grantedScopes: string[];
  @ListField(() => InstalledObjectView) objects: InstalledObjectView[];
  @ListField(() => InstalledHookView) hooks: InstalledHookView[];
  @ListField(() => InstalledSubscriptionView) subscriptions: InstalledSubscriptionView[];
  @ListField(() => StepView) steps: StepView[];

  @ObjectField(() => FailureView, { optional: true, description: 'Why it failed, and at which step' })
  failure?: FailureView;

  @EnumField(APP_STATUSES, {
    optional: true,
    description:
      "Status of the app; absent if no version was ever published. A suspended app keeps working but can't be installed again; a revoked app no longer works",
  })
  appStatus?: string;

  @ListField(() => NoticeView, { description: 'What to know about it' }) notices: NoticeView[];
  @DateTimeField() createdAt: string;
}

const CLIENT_ID = { maxLength: 200, example: 'app_8c1f0f4a8f0d4d0c9f5d1a7c2b9e6f30' };

export class OAuthCredentialsInput {
  @IntegerField({
    optional: true,
    minimum: 0,
    maximum: 168,
    description: 'Hours the previous secret stays valid; 24 by default, 0 revokes it immediately',
    example: 24,
  })
  overlapHours?: number;
}

export class OAuthCredentialsView {
  @TextField(CLIENT_ID) clientId: string;
  @TextField({ maxLength: 200, description: 'Shown once' }) clientSecret: string;

  @DateTimeField({ nullable: true, description: 'When the previous secret stops working; null if there is none' })
  previousSecretValidUntil: string | null;
}

export class OAuthSecretView {
  @DateTimeField() createdAt: string;

  @DateTimeField({ nullable: true, description: 'When it last got a token, accurate to 5 minutes' })
  lastUsedAt: string | null;
}

export class PreviousOAuthSecretView extends OAuthSecretView {
  @DateTimeField({ description: 'When it stops working' }) validUntil: string;
}

export class OAuthCredentialsSummaryView {
  @TextField(CLIENT_ID) clientId: string;
  @ListField(field.text({ maxLength: 64 }), { example: ['leads:read'] }) scopes: string[];
  @ObjectField(() => OAuthSecretView) secret: OAuthSecretView;
  @ObjectField(() => PreviousOAuthSecretView, { nullable: true }) previousSecret: PreviousOAuthSecretView | null;
}
