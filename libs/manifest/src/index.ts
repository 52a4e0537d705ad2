export type { Certification, CheckResult, CheckStatus, Severity } from './certification.js';
export { type CertifyOptions, certify, SUITE_VERSION } from './certify.js';
export {
  type CertifyTextOptions,
  certifySources,
  certifyText,
  type LocatedFinding,
  locateFindings,
  type PackageTexts,
  type TextCertification,
} from './certify-text.js';
export type { Change, ChangeEffect } from './change.js';
export type { Check } from './check.js';
export { checkListPage, checkPage } from './check-pages.js';
export { CHECKS } from './checks/index.js';
export { compareManifests } from './compare.js';
export { conditionTypes } from './condition-types.js';
export { connectorMapping, type MappedField } from './connector-mapping.js';
export { cronProblem } from './cron.js';
export { ATTENTIONS, type Attention, DIFFERENCE_KINDS, type Difference } from './difference/difference.js';
export {
  type DifferenceSummary,
  manifestDifference,
  summariseDifference,
} from './difference/manifest-difference.js';
export { manifestSha256 } from './manifest-hash.js';
export type { CertificationProbes, KeyOwnership } from './probes.js';
export { MAX_FINDINGS, type Problem } from './problem.js';
export * from './schema/manifest.js';
export { REVIEW_COMPONENTS, type ReviewPacket, ReviewPacketSchema } from './schema/review-packet.js';
export { compareVersions, isVersion } from './semver.js';
export { JsonSource, type SourceRange } from './source/json-source.js';
export { type LineColumn, LineIndex } from './source/line-index.js';
export { TEMPLATE_LIMITS, TemplateBudget } from './template-budget.js';
export { TemplateError, type TemplateErrorCode } from './template-error.js';
export {
  hasPlaceholder,
  lookupPath,
  parseTemplate,
  renderHeader,
  renderTemplate,
  renderUrl,
  renderValue,
  type TemplateData,
  type TemplatePart,
  templateKeys,
} from './templates.js';
