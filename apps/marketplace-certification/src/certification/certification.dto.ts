import { BooleanField, EnumField, IntegerField, JsonField, ListField, ObjectField, TextField } from '@crm/http';

const MANIFEST_EXAMPLE = {
  manifestVersion: 1,
  key: 'site-visits',
  name: 'Site visits',
  version: '1.0.0',
  kind: 'industry_app',
};

const PACKET_EXAMPLE = {
  demoVideo: 'https://example.com/demo',
  sandboxAttestation: 'Installed and tested in our sandbox workspace',
  securityQuestionnaire: { storesPersonalData: false },
  testInstructions: 'Install the app, then create a visit',
};

/** A package to certify. What is inside the two members is for the suite to judge. */
export class CertifyInput {
  @JsonField({ description: 'The app package, manifest v1', example: MANIFEST_EXAMPLE })
  manifest: Record<string, unknown>;

  @JsonField({ optional: true, description: 'What reviewers need besides the package', example: PACKET_EXAMPLE })
  reviewPacket?: Record<string, unknown>;
}

export class FindingView {
  @TextField({ maxLength: 10_000, description: 'JSON pointer into the package' }) pointer: string;
  @TextField({ maxLength: 10_000 }) message: string;
}

export class CheckView {
  @TextField({ maxLength: 20, example: 'SCP-001' }) id: string;
  @TextField({ maxLength: 200 }) title: string;
  @EnumField(['blocker', 'warning', 'advice']) severity: string;
  @EnumField(['pass', 'fail', 'skip']) status: string;
  @TextField({ maxLength: 10_000 }) message: string;

  @TextField({
    minLength: 0,
    maxLength: 10_000,
    description: 'JSON pointer to the first finding; empty for the whole package',
  })
  pointer: string;

  @TextField({
    maxLength: 2048,
    description: 'A public page that says what the check protects and what to change',
    example: 'https://crm.example.com/docs/certification/SCP-001',
  })
  docUrl: string;
  @ListField(() => FindingView, { maxItems: 10_000 }) findings: FindingView[];
}

export class CheckCountsView {
  @IntegerField({ minimum: 0 }) passed: number;
  @IntegerField({ minimum: 0 }) failed: number;
  @IntegerField({ minimum: 0 }) skipped: number;
}

export class CertificationView {
  @TextField({ maxLength: 20 }) suiteVersion: string;

  @TextField({
    maxLength: 64,
    nullable: true,
    description: 'SHA-256 of the canonical manifest; null if it has no canonical form',
  })
  manifestSha256: string | null;

  @BooleanField({ description: 'Whether all blockers passed' }) passed: boolean;
  @ListField(() => CheckView) checks: CheckView[];
  @ObjectField(() => CheckCountsView) summary: CheckCountsView;
}
