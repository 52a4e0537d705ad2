import { DateTimeField, IntegerField, ObjectField, TextField } from '@crm/http';

/** The group of all routes of this service in the API documentation. */
export const WORKFLOW_GROUP = {
  name: 'Workflows',
  description: 'Workflows of a workspace, the hooks that start them from outside, and their runs.',
};

const HOOK_URL = { maxLength: 2048, description: 'The URL that starts the workflow; keep it secret' };

export class HookSecretInput {
  @IntegerField({
    optional: true,
    minimum: 0,
    maximum: 168,
    description: 'Hours for which the previous secret stays valid, 24 by default; 0 ends it at once',
    example: 24,
  })
  overlapHours?: number;
}

export class NewHookSecretView {
  @TextField(HOOK_URL) hookUrl: string;

  @DateTimeField({ nullable: true, description: 'Until when the previous URL works; null when it does not' })
  previousSecretValidUntil: string | null;
}

export class HookSecretView {
  @DateTimeField() createdAt: string;

  @DateTimeField({ nullable: true, description: 'When a call was last accepted with it, to five minutes' })
  lastUsedAt: string | null;
}

export class PreviousHookSecretView extends HookSecretView {
  @DateTimeField({ description: 'When it stops working' }) validUntil: string;
}

export class HookView {
  @TextField(HOOK_URL) hookUrl: string;
  @ObjectField(() => HookSecretView) secret: HookSecretView;
  @ObjectField(() => PreviousHookSecretView, { nullable: true }) previousSecret: PreviousHookSecretView | null;
}
