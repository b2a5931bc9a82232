/// The style of the page, for light and dark screens and for paper.
enum ReportStyle {
  static let css = """
    :root { color-scheme: light dark; --paper: #fdfdfb; --ink: #1d2328; --soft: #5b6670; --line: #d5dade;
      --bad: #c0392b; --bad-soft: #f6d5d0; --good: #2e7d4f; --good-soft: #d8ecdf; --doubt: #9a6a00;
      --doubt-soft: #f6e7c1; --dim: #eceff1; --mark: #1f5fbf; }
    @media (prefers-color-scheme: dark) { :root { --paper: #14181b; --ink: #e6e9eb; --soft: #9aa5ad;
      --line: #38424a; --bad: #ff8a7a; --bad-soft: #5a2620; --good: #7fd3a0; --good-soft: #1f4530;
      --doubt: #f0c05a; --doubt-soft: #4d3a10; --dim: #232a2f; --mark: #8ab8ff; } }
    @media print { :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --bad: #b02a1c;
      --bad-soft: #f3c9c2; --good: #22663f; --good-soft: #dcebe1; --doubt: #7a5400; --doubt-soft: #f3e6c6;
      --dim: #eee; --mark: #174a96; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      section.key, svg, tr { break-inside: avoid; } h2, h2 + p { break-after: avoid; }
      main { max-width: none !important; padding: 0 !important; } }
    @page { margin: 16mm; }
    body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 52rem; margin: 0 auto; padding: 2.5rem 1.25rem; }
    h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; }
    h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
    h3 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
    p { margin: .5rem 0; } .soft, figcaption { color: var(--soft); }
    .summary { font-size: 1.15rem; margin: .75rem 0; }
    .summary.bad, h3 .bad, tr.bad td:nth-child(2) { color: var(--bad); font-weight: 600; }
    .summary.healthy, tr.healthy td:nth-child(2) { color: var(--good); }
    tr.doubtful td:nth-child(2) { color: var(--doubt); }
    table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
    th, td { text-align: left; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
    thead th { color: var(--soft); font-weight: 500; } tbody th { font-weight: 600; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: .75rem 0; }
    section.key figure { max-width: 34rem; }
    dt { color: var(--soft); } dd { margin: 0; }
    pre { background: var(--dim); padding: 1rem; border-radius: 6px; font: .82rem/1.5 ui-monospace, monospace;
      white-space: pre-wrap; overflow-wrap: anywhere; }
    figure { margin: 1rem 0; } figcaption { font-size: .88rem; margin-top: .5rem; }
    svg { width: 100%; height: auto; display: block; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
    .keyboard text { text-anchor: middle; } .keyboard .rate { font-size: 9px; font-weight: 600; }
    .keyboard rect { stroke: var(--line); stroke-width: 1; fill: none; }
    .keyboard .bad rect { fill: var(--bad-soft); stroke: var(--bad); stroke-width: 2; }
    .keyboard .doubtful rect { fill: var(--doubt-soft); stroke: var(--doubt); }
    .keyboard .healthy rect { fill: var(--good-soft); } .keyboard .unknown rect { fill: var(--dim); }
    .keyboard .unpressed text { fill: var(--soft); }
    .item { white-space: nowrap; } .swatch { display: inline-block; width: .8em; height: .8em; border: 1px solid var(--line); border-radius: 3px;
      vertical-align: -1px; } .swatch.bad { background: var(--bad-soft); border-color: var(--bad); }
    .swatch.doubtful { background: var(--doubt-soft); border-color: var(--doubt); }
    .swatch.healthy { background: var(--good-soft); } .swatch.unknown { background: var(--dim); }
    .swatch.fault { background: var(--bad); } .swatch.finger { background: var(--good); }
    .swatch.threshold { background: var(--mark); }
    .fault { fill: var(--bad); } .finger { fill: var(--good); opacity: .75; }
    .threshold { stroke: var(--mark); stroke-width: 2; } svg .mark { fill: var(--mark); font-weight: 600; }
    .axis { stroke: var(--soft); } svg .tick, svg .note { fill: var(--soft); font-size: 11px; }
    @media screen and (max-width: 40rem) { main { padding: 1rem .75rem; } table { font-size: .75rem; }
      th, td { padding-right: .4rem; overflow-wrap: anywhere; } pre { font-size: .7rem; } dl { display: block; }
      dd { margin: 0 0 .5rem; } .keyboard { overflow-x: auto; } .keyboard svg { min-width: 40rem; }
      .item { white-space: normal; } }
    @media print { pre { font-size: .66rem; } }
    """
}
