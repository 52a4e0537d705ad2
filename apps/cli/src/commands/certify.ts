import { type Certification, certifySources, locateFindings, type PackageTexts } from '@crm/manifest';
import { membersOf, parseArguments, UsageError } from '../arguments.js';
import type { CliConfig } from '../config.js';
import { type CertifiedPackage, readSource } from '../package-source.js';
import { baseUrlOf, Platform } from '../remote/platform.js';
import { jsonReport, junitReport } from '../report/report.js';
import { textReport, verdictLine } from '../report/text-report.js';
import type { Terminal } from '../terminal.js';

export const CERTIFY_USAGE = `Usage: crm-dev certify <app.json …> [options]

Check app packages. Uses the network only with --remote.

  --review <packet.json>  also check a review packet (one package only)
  --json                  print the result as JSON
  --junit                 print the result as JUnit XML
  --remote                run the checks on the server, including those that need the marketplace
  --base-url <url>        the platform's URL (or CRM_BASE_URL)
  --token <token>         an access token of a developer workspace (or CRM_TOKEN)

Exit status: 0 all packages pass, 1 a package fails, 2 wrong usage or nothing to check.
`;

const OPTIONS = {
  review: { type: 'string' },
  json: { type: 'boolean' },
  junit: { type: 'boolean' },
  remote: { type: 'boolean' },
  'base-url': { type: 'string' },
  token: { type: 'string' },
} as const;

const REMOTE_PATH = 'api/marketplace/developer/certifications';
/** The platform looks up names, each with its own time limit. */
const TIMEOUT_MS = 60_000;

/** `crm-dev certify`. @returns the exit status */
export async function certifyCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { files, reviewFile, format, remote } = readArguments(args, terminal.config);
  const packages: CertifiedPackage[] = [];
  for (const file of files) {
    const certified = await certifyFile(file, reviewFile, remote);
    packages.push(certified);
    if (format === 'text') {
      terminal.out(`${packages.length > 1 ? '\n' : ''}${textReport(certified, terminal)}`);
      terminal.out(verdictLine(certified, terminal.colours));
    }
  }
  if (format !== 'text') {
    terminal.out(format === 'json' ? jsonReport(packages) : junitReport(packages));
    // The verdict is for people; standard output is for programs.
    for (const certified of packages) terminal.err(verdictLine(certified, terminal.colours));
  }
  return packages.every(({ certification }) => certification.passed) ? 0 : 1;
}

function readArguments(args: readonly string[], config: CliConfig) {
  const { values, positionals: files } = parseArguments(args, OPTIONS, CERTIFY_USAGE);
  const wrong = (message: string) => new UsageError(message, CERTIFY_USAGE);
  if (files.length === 0) throw wrong('Missing package. Pass the path to app.json.');
  if (values.json && values.junit) throw wrong('Use either --json or --junit, not both.');
  if (values.review !== undefined && files.length > 1) throw wrong('Use --review with one package only.');
  if (!values.remote && (values['base-url'] !== undefined || values.token !== undefined)) {
    throw wrong('Use --base-url and --token only with --remote.');
  }
  return {
    files,
    reviewFile: values.review,
    format: values.json ? ('json' as const) : values.junit ? ('junit' as const) : ('text' as const),
    remote: values.remote ? remoteOf(values['base-url'] ?? config.baseUrl, values.token ?? config.token) : undefined,
  };
}

function remoteOf(baseUrl: string | undefined, token: string | undefined): Platform {
  if (baseUrl === undefined || token === undefined) {
    throw new UsageError(
      'Not signed in. --remote needs --base-url and --token, or CRM_BASE_URL and CRM_TOKEN.',
      CERTIFY_USAGE,
    );
  }
  return new Platform(baseUrlOf(baseUrl, CERTIFY_USAGE), { token });
}

async function certifyFile(
  file: string,
  reviewFile: string | undefined,
  remote: Platform | undefined,
): Promise<CertifiedPackage> {
  const texts: PackageTexts = {
    manifest: await readSource(file),
    reviewPacket: reviewFile === undefined ? undefined : await readSource(reviewFile),
  };
  const isReadable = texts.manifest.parsed.ok && (texts.reviewPacket?.parsed.ok ?? true);
  // A text that is not JSON cannot be sent; the local suite reports its problems.
  if (!remote || !isReadable) {
    return { file, reviewFile, texts, ...(await certifySources(texts, { mode: 'certification' })) };
  }
  const { manifest, reviewPacket } = texts;
  const documents = { manifest: manifest.value, ...(reviewPacket && { reviewPacket: reviewPacket.value }) };
  // It also knows who owns the key, which versions were submitted and how names resolve.
  const certification = await remote.post(REMOTE_PATH, documents, TIMEOUT_MS, isCertification, 'a certification');
  return { file, reviewFile, texts, certification, findings: locateFindings(certification, texts) };
}

function isCertification(body: unknown): body is Certification {
  const { passed, checks, summary } = membersOf(body);
  return (
    typeof passed === 'boolean' &&
    typeof summary === 'object' &&
    summary !== null &&
    Array.isArray(checks) &&
    checks.every((check) => typeof check?.id === 'string' && Array.isArray(check.findings))
  );
}
