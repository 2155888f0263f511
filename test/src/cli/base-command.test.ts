import assert from 'node:assert/strict';
import type { ClusterReader } from '../../../src/app/ports.ts';
import { BaseCommand, type CommandClass } from '../../../src/cli/base-command.ts';
import { PipeClosed, type InventorySink, type Ports, type ReaderOptions } from '../../../src/cli/context.ts';
import { inventoryFlags, outputFlag, tableFlags } from '../../../src/cli/flags.ts';
import { NODES } from '../../../src/domain/kubernetes/resource.ts';
import { InterruptedError, UnfinishedError } from '../../../src/errors.ts';
import type { View } from '../../../src/output/view.ts';
import { runCommand, type RunOptions, type RunResult } from '../../support/run-command.ts';

type Body = (command: Probe) => Promise<number | void>;

/** A command whose run is what the test gives. */
class Probe extends BaseCommand<typeof Probe> {
  static override summary = 'Probe';
  static override description = 'Probe.';
  static override flags = { output: outputFlag(['json']), 'no-headers': tableFlags['no-headers'], ...inventoryFlags };
  static body: Body = async () => {};

  run(): Promise<number | void> {
    return Probe.body(this);
  }
}

const run = (argv: readonly string[], body: Body, options: RunOptions = {}): Promise<RunResult> => {
  Probe.body = body;
  return runCommand(['probe', ...argv], { commands: { probe: Probe satisfies CommandClass }, ...options });
};

function readerOf(overrides: Partial<ClusterReader> = {}): ClusterReader {
  const unused = (): never => assert.fail('not used');
  return {
    description: { source: 'cluster', context: 'c', location: 'https://127.0.0.1:1' },
    namespace: null, resources: async () => [], completeness: () => 'all',
    serverVersion: async () => ({ gitVersion: 'v1.37.2' }),
    list: async function* () {
      yield { items: [{ kind: 'Node', metadata: { name: 'a' } }], resourceVersion: '1' };
    },
    get: unused, watch: unused, close: async () => {}, ...overrides,
  };
}

const portsOf = (openReader: (options: ReaderOptions) => ClusterReader, more: Partial<Ports> = {}): Partial<Ports> => ({
  openReader: async (options) => ({ reader: openReader(options), writer: null, recordedAt: null, notes: [] }), ...more,
});

async function listNodes(command: Probe): Promise<void> {
  const reader = await command.openReader();
  for await (const page of reader.list(NODES)) assert.equal(page.items.length, 1);
}

describe('BaseCommand', () => {
  it("hands kubectl's global flags on as the client layer takes them", async () => {
    const { readerOptions, stderr } = await run(
      ['--context', 'a', '--cluster=b', '--user=c', '-n', 'd', '-s', 'https://e', '--token=f', '--username=g', '--password=h', '--client-certificate=i', '--client-key=j',
        '--certificate-authority=k', '--insecure-skip-tls-verify', '--tls-server-name=l', '--as=m', '--as-uid=n', '--as-group=o', '--as-group=p', '--as-user-extra=q=r',
        '--request-timeout=1m30s', '--disable-compression', '--kuberc=s', '--cache-dir=t', '--kubeconfig=u', '--proxy-url=http://w', '-v=6'],
      async (command) => void (await command.openReader()), { reader: readerOf() },
    );
    assert.equal(stderr, '');
    assert.deepEqual(readerOptions[0]?.connection, {
      context: 'a', cluster: 'b', user: 'c', namespace: 'd', server: 'https://e', token: 'f', username: 'g', password: 'h', clientCertificate: 'i', clientKey: 'j',
      certificateAuthority: 'k', insecureSkipTlsVerify: true, tlsServerName: 'l', as: 'm', asUid: 'n', asGroup: ['o', 'p'], asUserExtra: ['q=r'],
      requestTimeoutSeconds: 90, disableCompression: true, kuberc: 's', cacheDir: 't', kubeconfig: 'u', proxyUrl: 'http://w',
    });
    assert.equal(readerOptions[0]?.verbosity, 6);
  });

  it('leaves what is not given undefined, so that the kubeconfig decides', async () => {
    const { readerOptions } = await run([], async (command) => void (await command.openReader()), { reader: readerOf() });
    const { requestTimeoutSeconds, disableCompression, asGroup, asUserExtra, ...rest } = readerOptions[0]?.connection ?? assert.fail();
    assert.deepEqual([requestTimeoutSeconds, disableCompression, asGroup, asUserExtra], [0, false, [], []]);
    assert.deepEqual(Object.values(rest).filter((value) => value !== undefined), []);
  });

  it('says which flag takes standard input', async () => {
    for (const [argv, expected] of [[[], null], [['--inventory=a.json'], null], [['--inventory=a.json', '--inventory=-'], '--inventory -']] as const) {
      const { readerOptions } = await run(argv, async (command) => void (await command.openReader()), { reader: readerOf() });
      assert.equal(readerOptions[0]?.stdinUsedBy, expected);
    }
  });

  it('shows control characters of a trace instead of sending them to the terminal', async () => {
    const openReader: Ports['openReader'] = async (options) => {
      options.onTrace('Response Body: {"a":\t"\u001b]0;owned\u0007"}\nnext');
      return { reader: readerOf(), writer: null, recordedAt: null, notes: [] };
    };
    const { stderr } = await run(['-v=8'], async (command) => void (await command.openReader()), { ports: { openReader } });
    assert.equal(stderr, 'Response Body: {"a":\t"^[]0;owned^G"}\nnext\n');
  });

  it('closes its readers, also after an error', async () => {
    const closed: string[] = [];
    const reader = readerOf({ close: async () => void closed.push('closed') });
    await run([], async (command) => void (await command.openReader()), { reader });
    await run([], async (command) => {
      await command.openReader();
      throw new TypeError('x');
    }, { reader });
    assert.deepEqual(closed, ['closed', 'closed']);
  });

  describe('now', () => {
    const cases: readonly [string, readonly string[], string | undefined, string][] = [
      ['the clock', [], undefined, '2026-11-30T12:00:00.000Z'],
      ['when the inventory was recorded', [], '2026-05-01T10:00:00Z', '2026-05-01T10:00:00.000Z'],
      ['--as-of before both', ['--as-of=2025-01-02'], '2026-05-01T10:00:00Z', '2025-01-02T00:00:00.000Z'],
    ];
    for (const [name, argv, recordedAt, expected] of cases) {
      it(`is ${name}`, async () => {
        let now: Date | null = null;
        await run(argv, async (command) => {
          await command.openReader();
          now = command.now();
        }, { reader: readerOf(), ...(recordedAt === undefined ? {} : { recordedAt }) });
        assert.equal((now as Date | null)?.toISOString(), expected);
      });
    }
  });

  describe('warnings of the API server', () => {
    const warn: Body = async (command) => void (await command.openReader());
    const ports = portsOf((options) => {
      options.onWarning('a is deprecated');
      options.onWarning('a is deprecated');
      options.onWarning('b is deprecated');
      return readerOf();
    });

    it('are printed once each', async () => {
      const { stderr, exitCode } = await run([], warn, { ports });
      assert.deepEqual([stderr, exitCode], ['Warning: a is deprecated\nWarning: b is deprecated\n', 0]);
    });

    it('end in exit code 1 with --warnings-as-errors', async () => {
      const { stderr, exitCode } = await run(['--warnings-as-errors'], warn, { ports });
      assert.deepEqual([stderr, exitCode], ['Warning: a is deprecated\nWarning: b is deprecated\nerror: 2 warnings received\n', 1]);
    });

    it('do not count what this program finds worth saying itself', async () => {
      const noticing = portsOf((options) => {
        options.onNotice('the clocks differ');
        return readerOf();
      });
      const { stderr, exitCode } = await run(['--warnings-as-errors'], warn, { ports: noticing });
      assert.deepEqual([stderr, exitCode], ['Warning: the clocks differ\n', 0]);
    });
  });

  describe('--save', () => {
    function recorder(): { log: string[]; createInventory: Ports['createInventory'] } {
      const log: string[] = [];
      const sink: InventorySink = {
        write: async (resource, objects) => void log.push(`${resource.plural} ${objects.length}`),
        finish: async (facts) => void log.push(`finish ${facts.serverVersion} ${facts.generatedAt} ${facts.toolVersion}`),
        abort: async () => void log.push('abort'),
      };
      return { log, createInventory: async (file) => (log.push(`create ${file}`), sink) };
    }

    it('writes what is listed, and completes the file when the command succeeds', async () => {
      const { log, createInventory } = recorder();
      await run(['--save=x.json'], listNodes, { ports: portsOf(() => readerOf(), { createInventory }) });
      assert.deepEqual(log, ['create x.json', 'nodes 1', 'nodes 0', 'finish v1.37.2 2026-11-30T12:00:00.000Z 0.1.0']);
    });

    it('leaves no file behind when the command fails', async () => {
      const { log, createInventory } = recorder();
      const { exitCode } = await run(['--save=x.json'], async (command) => {
        await listNodes(command);
        throw new TypeError('x');
      }, { ports: portsOf(() => readerOf(), { createInventory }) });
      assert.equal(exitCode, 70);
      assert.deepEqual(log, ['create x.json', 'nodes 1', 'nodes 0', 'abort']);
    });
  });

  describe('print', () => {
    const view = (names: readonly string[]): View<string> => ({
      columns: [{ header: 'NAME', value: (name) => name, tone: () => 'good' }], items: names, document: () => ({ items: names }), nameOf: (name) => `node/${name}`, emptyMessage: 'No resources found',
    });
    const print = (names: readonly string[]): Body => async (command) => command.print(view(names), await command.outputFormat());

    it('writes a table', async () => assert.equal((await run([], print(['a', 'b']))).stdout, 'NAME\na\nb\n'));
    it('leaves headers out with --no-headers', async () => assert.equal((await run(['--no-headers'], print(['a']))).stdout, 'a\n'));
    it('paints on a terminal alone', async () => {
      assert.match((await run([], print(['a']), { isTerminal: true, env: { TERM: 'xterm' } })).stdout.slice(5), /^.\[32ma/);
      assert.equal((await run([], print(['a']), { isTerminal: true, env: { TERM: 'xterm', NO_COLOR: '' } })).stdout, 'NAME\na\n');
    });
    it('says on stderr that there is nothing, and prints nothing', async () => {
      const { stdout, stderr, exitCode } = await run([], print([]));
      assert.deepEqual([stdout, stderr, exitCode], ['', 'No resources found\n', 0]);
    });
    it('prints an empty document without a remark', async () => {
      const { stdout, stderr } = await run(['-ojson'], print([]));
      assert.deepEqual([JSON.parse(stdout), stderr], [{ items: [] }, '']);
    });
    it('refuses a format before anything is read', async () => {
      const { stderr, exitCode, readerOptions } = await run(['-o', 'go-template=x'], async (command) => {
        await command.outputFormat();
        await command.openReader();
      }, { reader: readerOf() });
      assert.equal(exitCode, 2);
      assert.match(stderr, /^error: unable to match a printer suitable for the output format "go-template=x", allowed formats are: /);
      assert.equal(readerOptions.length, 0);
    });
  });

  describe('when it is told to stop', () => {
    const aborted = AbortSignal.abort(new DOMException('interrupted', 'AbortError'));

    it('ends with 130 and says so, with no word about the failure that follows', async () => {
      const { exitCode, stderr } = await run([], async (command) => command.signal.throwIfAborted(), { signal: aborted });
      assert.deepEqual([exitCode, stderr], [130, 'error: interrupted\n']);
    });

    it('says nothing to a reader that has left', async () => {
      const { exitCode, stderr } = await run([], async (command) => command.signal.throwIfAborted(), { signal: AbortSignal.abort(new PipeClosed('stdout was closed')) });
      assert.deepEqual([exitCode, stderr], [0, '']);
    });

    it('says also to a reader that has left what was to change and is not changed', async () => {
      const { exitCode, stderr } = await run([], async () => {
        throw new UnfinishedError('interrupted', { suggestions: ['Again.'] });
      }, { signal: AbortSignal.abort(new PipeClosed('stdout was closed')) });
      assert.deepEqual([exitCode, stderr], [130, 'error: interrupted\nAgain.\n']);
    });

    it('says that the file of --save was not written when its reader leaves before all is read', async () => {
      const log: string[] = [];
      const sink: InventorySink = { write: async () => {}, finish: async () => void log.push('finish'), abort: async () => void log.push('abort') };
      const ports: Partial<Ports> = { openReader: async () => ({ reader: readerOf(), writer: null, recordedAt: null, notes: [] }), createInventory: async () => sink };
      const leave = async (command: Probe): Promise<void> => {
        await command.openReader();
        command.signal.throwIfAborted();
      };
      const { exitCode, stderr } = await run(['--save=x.json'], leave, { ports, signal: AbortSignal.abort(new PipeClosed('stdout was closed')) });
      assert.deepEqual([exitCode, stderr], [2, 'error: x.json: not written: standard output was closed before everything had been read\n']);
      assert.deepEqual(log, ['abort']);
    });

    it('tells what an InterruptedError has to tell', async () => {
      const { exitCode, stderr } = await run([], async () => Promise.reject(new InterruptedError('interrupted; 2 pods are left')), { signal: aborted });
      assert.deepEqual([exitCode, stderr], [130, 'error: interrupted; 2 pods are left\n']);
    });
  });
});
