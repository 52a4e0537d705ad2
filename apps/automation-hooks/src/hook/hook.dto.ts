import { DateTimeField, IntegerField, ObjectField, TextField } from '@crm/http';

/** The group of all routes of this service in the API documentation. */
export const WORKFLOW_GROUP = {
  name: 'Workflows',
  description: 'Workflows, the hook URLs that start them from other systems, and their runs.',
};

const HOOK_URL = { maxLength: 2048, description: 'The URL that starts the workflow; keep it secret' };

export class HookSecretInput {
  @IntegerField({
    optional: true,
    minimum: 0,
    maximum: 168,
    description: 'Hours the previous secret stays valid; 24 by default, 0 revokes it immediately',
    example: 24,
  })
  overlapHours?: number;
}

export class NewHookSecretView {
  @TextField(HOOK_URL) hookUrl: string;

  @DateTimeField({ nullable: true, description: 'When the previous URL stops working; null if it already has' })
  previousSecretValidUntil: string | null;
}

export class HookSecretView {
  @DateTimeField() createdAt: string;

  @DateTimeField({ nullable: true, description: 'When it was last used, accurate to 5 minutes' })
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
