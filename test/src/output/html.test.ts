import assert from 'node:assert/strict';
import { escapeHtml, renderHtml } from '../../../src/output/html.ts';
import type { View } from '../../../src/output/view.ts';

describe('renderHtml', () => {
  const view: View<string> = {
    columns: [{ header: 'A&B', value: (item) => item, tone: (item) => (item === 'x' ? 'bad' : 'plain') }, { header: 'WIDE', wide: true, value: () => 'w' }],
    items: ['x', '<script>alert("1")</script>\u001b[31m'], document: () => ({ kind: 'Thing' }), nameOf: (item) => item, emptyMessage: '',
  };
  const page = [...renderHtml(view)].join('');
  it('shows all columns and marks tones', () => {
    assert.ok(page.includes('<title>Thing</title>'));
    assert.ok(page.includes('<th>A&amp;B</th><th>WIDE</th>'));
    assert.ok(page.includes('<tr><td class="bad">x</td><td>w</td></tr>'));
  });
  it('lets no cell be markup or control a terminal', () => {
    assert.ok(!page.includes('<script'));
    assert.ok(page.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;^[[31m'));
  });
  it('escapes for quoted attributes, and keeps lines apart', () => assert.equal(escapeHtml(`'"&\n`), '&#39;&quot;&amp;<br>'));
});
