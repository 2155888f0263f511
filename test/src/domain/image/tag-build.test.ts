import assert from 'node:assert/strict';
import { readTag } from '../../../../src/domain/image/tag-build.ts';

describe('the build that a tag names', () => {
  for (const [tag, build, revision, os] of [
    ['ltsc2016', 14393, null, 'windows'], ['ltsc2019', 17763, null, 'windows'], ['ltsc2022', 20348, null, 'windows'], ['ltsc2025', 26100, null, 'windows'],
    ['ltsc2019-amd64', 17763, null, 'windows'],
    ['10.0.20348.2227', 20348, 2227, 'windows'], ['10.0.17763.8389-amd64', 17763, 8389, 'windows'], ['10.0.20348', 20348, null, 'windows'],
    ['4.8-windowsservercore-ltsc2019', 17763, null, 'windows'],
    ['4.8.1-20240109-windowsservercore-ltsc2022', 20348, null, 'windows'],
    ['windows-1809-amd64', 17763, null, 'windows'], ['v2.0.1-alpha.1-windows-1809-amd64', 17763, null, 'windows'],
    ['nanoserver-1809', 17763, null, 'windows'], ['lts-nanoserver-1809', 17763, null, 'windows'], ['1809-KB4551853', 17763, null, 'windows'],
    ['jdk11-windowsservercore-ltsc2019', 17763, null, 'windows'], ['v1.18.1-windowsservercore-ltsc2022', 20348, null, 'windows'],
    ['win2022', 20348, null, 'windows'], ['1.2-win2019', 17763, null, 'windows'], ['ws2022', 20348, null, 'windows'], ['windows2025', 26100, null, 'windows'],
    ['windows-2019-2.2.2', 17763, null, 'windows'], ['1.0-windows-ltsc2025-amd64', 26100, null, 'windows'], ['20H2', 19042, null, 'windows'], ['nanoserver-20h2', 19042, null, 'windows'],
    ['nanoserver-2004', 19041, null, 'windows'], ['windowsservercore-1607', 14393, null, 'windows'],
    ['7.4-nanoserver-ltsc2022-20240109', 20348, null, 'windows'],
    ['windowsservercore-ltsc2022-10.0.20348.2227', 20348, 2227, 'windows'],
  ] as const) {
    it(`${tag} names ${build}`, () => {
      const reading = readTag(tag, false);
      assert.deepEqual([reading.build, reading.revision, reading.os, reading.isGuess], [build, revision, os, false]);
      assert.ok(tag.includes(reading.text ?? 'nothing'));
    });
  }

  for (const [tag, build] of [['1803', 17134], ['1.0-1909', 18363], ['v2-1809-amd64', 17763]] as const) {
    it(`${tag} may name ${build}: a guess, which is no evidence of Windows`, () => {
      const reading = readTag(tag, false);
      assert.deepEqual([reading.build, reading.isGuess, reading.os], [build, true, null]);
    });
  }

  it('a bare release is no guess in a repository for Windows', () => {
    for (const [tag, build] of [['1809', 17763], ['1803', 17134], ['2004', 19041], ['1709', 16299], ['1607', 14393]] as const) assert.deepEqual([readTag(tag, true).build, readTag(tag, true).isGuess], [build, false]);
  });

  for (const [tag, os] of [
    ['latest', null], ['20220809', null], ['4.8', null], ['4.8.1', null], ['2.0.1', null], ['v0.4.6.8', null], ['1.16.0_1', null], ['2019-2', null], ['2022', null], ['2004', null],
    ['2019-12-01', null], ['10.0', null], ['10.0.11', null], ['10.0.100', null], ['1.10.0.20348', null], ['10.0.99999', null], ['release-2022.1', null], ['3.9-hotfix-20230808', null],
    ['v1.34.5-windows-hp', 'windows'], ['win-3.1.22', 'windows'], ['win-ciprod10042022-3c05dd1b', 'windows'], ['1.25-windowsservercore', 'windows'], ['windows-amd64-2.0.1', 'windows'],
    ['latest-windows-hp', 'windows'], ['canary-windows-hp', 'windows'], ['windows-2019-08-12', 'windows'], ['win-prometheus-reference-app-golang', 'windows'],
    ['1.14-alpine', 'linux'], ['lts-debian-12', 'linux'], ['v1-linux-amd64', 'linux'], ['8.0-jammy', 'linux'], ['alpine-1809', 'linux'], ['windows-alpine', null],
    ['8-server-2019', null], ['sql-server-1803-x', null], ['mssql-server-2022', null], ['0.31.8-hp', null], ['ltsc2021', null], ['server-ltsc', null], ['1.2-1809.3', null], ['1809-rc1', null],
  ] as const) {
    it(`${tag} names no build`, () => {
      const reading = readTag(tag, false);
      assert.deepEqual([reading.build, reading.os, reading.text], [null, os, null]);
    });
  }

  it('two different builds in one tag are none', () => {
    assert.equal(readTag('ltsc2019-ltsc2022', false).build, null);
    assert.equal(readTag('windowsservercore-1809-ltsc2019', false).build, 17763);
    assert.equal(readTag('windowsservercore-ltsc2022-1909', false).build, 20348, 'what is sure goes before a guess');
  });

  it('tells the architecture that a tag ends with', () => {
    assert.equal(readTag('ltsc2022-amd64', true).architecture, 'amd64');
    assert.equal(readTag('ltsc2022', true).architecture, null);
  });
});
