// Written text.
import { renderTextPanelMarkdown } from '@grafana/data';
import type { ViewProps } from './view';

export function TextView({ panel, ctx }: ViewProps) {
  const { mode = 'markdown', content = '' } = panel.options ?? {};
  const text = ctx.replace(content, {}, 'text');
  if (mode === 'code') return <pre>{text}</pre>;
  return <div className="markdown-html" dangerouslySetInnerHTML={{ __html: mode === 'html' ? text : renderTextPanelMarkdown(text) }} />;
}
