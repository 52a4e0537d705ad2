import { BooleanField, IdField } from '@crm/http';

export class HookAccepted {
  @BooleanField()
  accepted: boolean;

  @IdField()
  runId: string;
}
