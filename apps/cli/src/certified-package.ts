import type { Certification, LocatedFinding, PackageTexts } from '@crm/manifest';

/** A package that was certified, for the reports. */
export interface CertifiedPackage {
  /** Path as given on the command line. */
  file: string;
  /** Path as given on the command line; undefined without a review packet. */
  reviewFile: string | undefined;
  texts: PackageTexts;
  certification: Certification;
  findings: readonly LocatedFinding[];
}
