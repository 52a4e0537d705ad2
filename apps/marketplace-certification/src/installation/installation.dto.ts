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
  @TextField({ maxLength: 64, description: "The app's key" })
  appKey: string;

  @TextField({ optional: true, minLength: 1, maxLength: 64, description: 'The published version when left out' })
  version?: string;

  @BooleanField({
    optional: true,
    description: 'Objects get the prefix `sbx_`; the app’s publisher may try a version under review',
  })
  sandbox?: boolean;

  @ListField(field.text({ maxLength: 40 }), {
    optional: true,
    description: 'All that the app asks for and that are not optional, when left out',
  })
  grantedScopes?: string[];
}

/** Which installations a list shows. */
export class InstallationQuery extends ListQuery {
  @EnumField([...INSTALLATION_STATES, 'all'], {
    optional: true,
    description: 'Only those in this state; without it those that hold something of the workspace',
  })
  state?: string;
}

export class InstalledObject {
  @TextField({ maxLength: 40 })
  declaredApiName: string;

  @TextField({ maxLength: 120, description: "What the workspace's clients use" })
  apiName: string;
}

export class InstalledHook {
  @TextField({ maxLength: 100 })
  key: string;

  @IdField()
  workflowId: string;

  @TextField({ optional: true, maxLength: 2048, description: 'With its secret: shown to administrators only' })
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
