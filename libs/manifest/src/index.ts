export { MAX_NODES } from './admit-json.js';
export { type CertifyOptions, certify, manifestSha256, SUITE_VERSION } from './certify.js';
export { certifySources, type LocatedFinding, locateFindings, type PackageTexts } from './certify-text.js';
export type { Certification, Check, CheckResult, CheckStatus, Severity } from './check.js';
export { checkListPage, checkPage } from './check-pages.js';
export { automationLength, LONGEST_AUTOMATION } from './checks/automations.js';
export { CHECKS } from './checks/index.js';
export { compareManifests } from './compare.js';
export type { Change, ChangeEffect } from './compare-objects.js';
export { connectorMapping, type MappedField } from './connector-mapping.js';
export { cronProblem } from './cron.js';
export {
  type DifferenceSummary,
  manifestDifference,
  summariseDifference,
} from './difference/manifest-difference.js';
export { ATTENTIONS, type Attention, DIFFERENCE_KINDS, type Difference } from './difference/tree.js';
export {
  type ExecutedAction,
  type ExecutedTrigger,
  isExecutedAction,
  isExecutedTrigger,
} from './executed.js';
export { exposedFields } from './exposed-fields.js';
export { type CertificationProbes, HOST_SECTIONS, hostUses, type KeyOwnership } from './outbound-urls.js';
export { conditionTypes } from './package-model.js';
export { MAX_FINDINGS, type Problem } from './problem.js';
export * from './schema/manifest.js';
export { compareVersions, isVersion } from './semver.js';
export { JsonSource, type SourceRange } from './source/json-source.js';
export { type LineColumn, LineIndex } from './source/scan-json.js';
export { TEMPLATE_LIMITS, TemplateBudget, TemplateError, type TemplateErrorCode } from './template-budget.js';
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
