import {
  BooleanField,
  DateTimeField,
  EnumField,
  field,
  IdField,
  ListField,
  ListQuery,
  ObjectField,
  TextField,
} from '@crm/http';
import { INSTALLATION_STATES, STEP_NAMES, STEP_STATES } from './installation.js';

export class InstallInput {
  @TextField({ maxLength: 64, description: 'Key of the app', example: 'site-visits' })
  appKey: string;

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
      'Installs a sandbox: object names get the prefix `sbx_`. The publisher can install a version that is still under review',
  })
  sandbox?: boolean;

  @ListField(field.text({ maxLength: 40 }), {
    optional: true,
    description: 'Every scope that the app requests and that is not optional, by default',
  })
  grantedScopes?: string[];
}

/** Which installations a list shows. */
export class InstallationQuery extends ListQuery {
  @EnumField([...INSTALLATION_STATES, 'all'], {
    optional: true,
    description: 'Only installations in this state; by default those that are installed or in progress',
  })
  state?: string;
}

export class InstalledObject {
  @TextField({ maxLength: 40 })
  declaredApiName: string;

  @TextField({ maxLength: 120, description: 'The api-name that clients of this workspace use' })
  apiName: string;
}

export class InstalledHook {
  @TextField({ maxLength: 100 })
  key: string;

  @IdField()
  workflowId: string;

  @TextField({ optional: true, maxLength: 2048, description: 'Includes the secret; shown to administrators only' })
  url?: string;
}

export class InstalledSubscription {
  @IdField()
  id: string;

  @TextField({ maxLength: 2048 })
  url: string;

  @ListField(field.text({ maxLength: 100 }))
  events: string[];
}

export class ErrorAnswer {
  @TextField({ maxLength: 100 })
  code: string;

  @TextField({ maxLength: 10_000 })
  detail: string;
}

export class FailureAnswer extends ErrorAnswer {
  @EnumField(STEP_NAMES)
  step: string;
}

export class StepAnswer {
  @EnumField(STEP_NAMES)
  name: string;

  @EnumField(STEP_STATES)
  state: string;

  @ObjectField(() => ErrorAnswer, { optional: true })
  error?: ErrorAnswer;
}

export class InstallationAnswer {
  @IdField()
  id: string;

  @EnumField(INSTALLATION_STATES)
  state: string;

  @TextField({ maxLength: 64 })
  appKey: string;

  @TextField({ maxLength: 64 })
  version: string;

  @BooleanField()
  sandbox: boolean;

  @ListField(field.text({ maxLength: 40 }))
  grantedScopes: string[];

  @ListField(() => InstalledObject)
  objects: InstalledObject[];

  @ListField(() => InstalledHook)
  hooks: InstalledHook[];

  @ListField(() => InstalledSubscription)
  subscriptions: InstalledSubscription[];

  @ListField(() => StepAnswer)
  steps: StepAnswer[];

  @ObjectField(() => FailureAnswer, { optional: true, description: 'Why it failed, and at which step' })
  failure?: FailureAnswer;

  @DateTimeField()
  createdAt: string;
}
