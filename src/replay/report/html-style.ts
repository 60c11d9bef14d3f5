// The look of the HTML report: light or dark as the reader's system is, legible at the width of a phone.

export const STYLE = `
:root { color-scheme: light dark;
  --ground: light-dark(#f4f5f7, #14171c); --panel: light-dark(#fff, #1b1f26); --line: light-dark(#d8dce2, #343b46);
  --text: light-dark(#1c2430, #dde2ea); --soft: light-dark(#596373, #98a2b1); --good: light-dark(#0f7a4b, #4cc38a);
  --bad: light-dark(#b3261e, #f2827a); --wait: light-dark(#8a5800, #e2ae4c); --mark: light-dark(#fdecea, #43221f);
  font: 14px/1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 20px; max-width: 1180px; background: var(--ground); color: var(--text); }
h1 { font-size: 20px; margin: 0 0 4px; }
h2 { font-size: 14px; margin: 0; overflow-wrap: anywhere; }
p { margin: 4px 0; }
.soft { color: var(--soft); }
.counts { display: flex; flex-wrap: wrap; gap: 8px; margin: 14px 0; padding: 0; list-style: none; }
.counts li { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 6px 12px; }
.counts b { font-size: 18px; margin-right: 4px; }
.order { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; margin: 12px 0; }
.order > summary { padding: 10px 14px; cursor: pointer; }
.order > summary h2 { display: inline; }
.order > div { padding: 0 14px 12px; }
.badge { border: 1px solid currentColor; border-radius: 10px; padding: 0 8px; font-size: 12px; white-space: nowrap; margin-left: 6px; }
.same { color: var(--good); } .different { color: var(--bad); } .untried { color: var(--wait); }
.request { border-top: 1px solid var(--line); padding-top: 8px; margin-top: 8px; }
.request > p:first-child { font-weight: 600; overflow-wrap: anywhere; }
.reason { color: var(--bad); overflow-wrap: anywhere; }
.pair { border-left: 3px solid var(--line); padding-left: 10px; margin: 8px 0; }
.pair.off { border-color: var(--bad); }
.pair > summary { cursor: pointer; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; width: calc(100% - 24px); vertical-align: top; }
.sides { display: inline-grid; }
.sides > span { min-width: 0; overflow-wrap: anywhere; }
.sides i { color: var(--soft); font-style: normal; font-size: 12px; display: block; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; margin: 6px 0; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: 2px 6px; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 500; width: 30%; }
thead th { color: var(--soft); font-size: 12px; }
td { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12px; }
tr.off { background: var(--mark); }
tr.off th, tr.off td { color: var(--bad); font-weight: 600; }
tr.varies td { color: var(--soft); }
tr small { display: block; font-weight: 400; font-family: system-ui, sans-serif; }
body:has(#only:checked) .order.same-order { display: none; }
@media (max-width: 560px) { body { padding: 10px; } .order > div { padding: 0 8px 8px; } .order > summary { padding: 8px; }
  th { width: 34%; } th, td { padding: 2px 3px; font-size: 12px; } td { font-size: 11px; } }
`;
