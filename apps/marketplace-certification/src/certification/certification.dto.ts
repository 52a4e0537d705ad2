import { BooleanField, EnumField, IntegerField, JsonField, ListField, ObjectField, TextField } from '@crm/http';

/** A package to certify. What is inside the two members is for the suite to judge. */
export class CertifyInput {
  @JsonField({ description: 'The app package, manifest v1' })
  manifest: Record<string, unknown>;

  @JsonField({ optional: true, description: 'demoVideo, sandboxAttestation, securityQuestionnaire, testInstructions' })
  reviewPacket?: Record<string, unknown>;
}

/** One thing that a check found. */
export class FindingAnswer {
  @TextField({ maxLength: 10_000, description: 'JSON pointer into the package' })
  pointer: string;

  @TextField({ maxLength: 10_000 })
  message: string;
}

export class CheckAnswer {
  @TextField({ maxLength: 20, example: 'SCP-001' })
  id: string;

  @TextField({ maxLength: 200 })
  title: string;

  @EnumField(['blocker', 'warning', 'advice'])
  severity: string;

  @EnumField(['pass', 'fail', 'skip'])
  status: string;

  @TextField({ maxLength: 10_000 })
  message: string;

  @TextField({
    minLength: 0,
    maxLength: 10_000,
    description: 'Where the first finding is; empty for the whole package',
  })
  pointer: string;

  @TextField({ maxLength: 500 })
  docUrl: string;

  @ListField(() => FindingAnswer, { maxItems: 10_000 })
  findings: FindingAnswer[];
}

export class CheckCounts {
  @IntegerField({ minimum: 0 })
  passed: number;

  @IntegerField({ minimum: 0 })
  failed: number;

  @IntegerField({ minimum: 0 })
  skipped: number;
}

/** A certification as the suite reports it. */
export class CertificationAnswer {
  @TextField({ maxLength: 20 })
  suiteVersion: string;

  @TextField({ maxLength: 64, nullable: true, description: 'Of the canonical form; null when the package has none' })
  manifestSha256: string | null;

  @BooleanField({ description: 'Whether no blocker failed' })
  passed: boolean;

  @ListField(() => CheckAnswer)
  checks: CheckAnswer[];

  @ObjectField(() => CheckCounts)
  summary: CheckCounts;
}
