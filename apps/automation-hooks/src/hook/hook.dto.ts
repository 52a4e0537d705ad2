import { BooleanField, IdField } from '@crm/service-kit';

export class HookAccepted {
  @BooleanField()
  accepted: boolean;

  @IdField()
  runId: string;
}
