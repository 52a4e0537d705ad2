import { BooleanField, IdField } from '@crm/http';

export class HookCallView {
  @BooleanField()
  accepted: boolean;

  @IdField()
  runId: string;
}
