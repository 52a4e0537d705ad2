import type { StatefulService } from '@crm/contracts';

/** The tables of each database in alphabetical order, without TypeORM's `migrations`. Each isolates its rows. */
export const TABLES: Readonly<Record<StatefulService, string>> = {
  identity:
    'api_key app_user audit_entry authenticator code_guess dead_letter email_change email_claim embed_client embed_user encryption_key idempotency identity_provider inbox invitation local_account mail mail_domain membership mfa_challenge oauth_app oauth_code oauth_grant oauth_installation oauth_refresh_token oauth_request operator operator_audit outbox outbox_position passkey password_reset pending_cutoff person provider_link provider_link_request provider_sign_in quota_use recovery_code refresh_token revocation_cutoff service_account session sign_in_email sign_in_policy signing_key spent_passkey_challenge tenant tenant_suspension verified_domain workspace_role',
  'custom-objects':
    'cleared_reference custom_field custom_object custom_object_share custom_record custom_unique dead_letter erased_record idempotency outbox outbox_position record_history record_note record_reference record_search saved_view storage_use',
  'automation-hooks':
    'dead_letter encryption_key erased_record hook hook_call_key hook_secret inbox run run_queue run_step waiting_event workflow workflow_rate workflow_version',
  'webhook-dispatcher':
    'app_secret dead_letter delivery delivery_attempt due_delivery encryption_key erased_record event_body inbox ordered_delivery outbox outbox_position recovery subscription_hold subscription_queue webhook_subscription',
  'marketplace-certification':
    'app app_version app_webhook_secret certification client_status dead_letter encryption_key idempotency install_audit install_count installation installation_step installation_work operator_audit outbox outbox_position quota_use rating submission_audit',
};
