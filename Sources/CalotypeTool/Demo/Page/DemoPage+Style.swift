extension DemoPage {
    /// Paper and sepia, as prints of calotypes have them; in the dark, the negative.
    static let style = """
        :root { color-scheme: light dark; --paper: #f5f0e6; --card: #fffdf8; --ink: #2d261f; --soft: #675b4e;
          --line: #ddd2bf; --blue: #1d4f7c; --lost: #c2186a; --good: #2b6637; --bad: #a3341d; }
        @media (prefers-color-scheme: dark) { :root { --paper: #17130f; --card: #221c16; --ink: #efe6d6; --soft: #b6a995;
          --line: #3d342a; --blue: #93c0e8; --lost: #ff74b1; --good: #8fcb9d; --bad: #ff9c86; } }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body { margin: 0 auto; max-width: 70rem; padding: 1.5rem clamp(1rem, 4vw, 3rem) 3rem; background: var(--paper);
          color: var(--ink); font: 1.0625rem/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif; }
        h1, h2, h3 { font-family: ui-serif, "Iowan Old Style", Georgia, "Times New Roman", serif; font-weight: 600;
          line-height: 1.15; margin: 0; text-wrap: balance; }
        h1 { font-size: clamp(2.1rem, 6vw, 3.5rem); letter-spacing: -0.015em; }
        h2 { font-size: clamp(1.5rem, 4vw, 2.1rem); }
        h3 { font-size: 1.3rem; }
        p { margin: 0.6rem 0; max-width: 44rem; text-wrap: pretty; }
        a { color: var(--blue); text-underline-offset: 0.2em; }
        :focus-visible { outline: 3px solid var(--blue); outline-offset: 3px; border-radius: 4px; }
        code { font-family: ui-monospace, monospace; font-size: 0.92em; }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { left: 1rem; top: 1rem; padding: 0.5rem 1rem; background: var(--card); z-index: 1; }
        .kicker { margin: 0 0 0.4rem; color: var(--soft); font: 0.95rem ui-monospace, monospace; }
        .lead { font-size: 1.2rem; color: var(--soft); }
        .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr)); gap: 0 2rem;
          margin: 1.8rem 0; border-top: 1px solid var(--line); }
        .figures div { display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: 1rem 0;
          border-bottom: 1px solid var(--line); }
        .figures dt { color: var(--soft); font-size: 0.95rem; line-height: 1.35; }
        .figures dd { margin: 0; font: 600 2rem/1.3 ui-serif, Georgia, serif; font-variant-numeric: lining-nums; }
        .figures .to { color: var(--soft); font-weight: 400; }
        nav { display: flex; flex-wrap: wrap; gap: 0.4rem 1.4rem; }
        nav a { padding: 0.3rem 0; }
        section { margin-top: 3.5rem; scroll-margin-top: 1rem; }
        figure { margin: 1.2rem 0; }
        figcaption { color: var(--soft); font-size: 0.92rem; margin-top: 0.4rem; }
        .lost { color: var(--lost); }
        .strip { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: #f3eee3; }
        .strip img { display: block; height: clamp(24rem, 70vh, 38rem); width: auto; }
        .table { overflow-x: auto; margin: 1.2rem 0; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; background: var(--card);
          border: 1px solid var(--line); }
        caption { text-align: left; color: var(--soft); font-size: 0.92rem; padding-bottom: 0.4rem; }
        th, td { padding: 0.45rem 0.8rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
        thead th { font-size: 0.92rem; color: var(--soft); font-weight: 600; }
        tbody th { text-align: left; font-weight: 500; white-space: normal; min-width: 8.5rem; }
        tbody th.sub { padding-left: 1.8rem; color: var(--soft); font-weight: 400; }
        tbody tr:last-child > * { border-bottom: 0; }
        abbr { text-decoration: none; }
        .note { color: var(--soft); font-size: 0.95rem; }
        .beside { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 1rem 2rem; margin-top: 0.8rem; }
        .beside > :first-child { flex: 1 1 18rem; }
        .beside .phone { flex-basis: 12.2rem; }
        .acts { counter-reset: act; list-style: none; margin: 1.5rem 0 0; padding: 0; display: grid; gap: 1.25rem; }
        .act { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 2rem; padding: clamp(1rem, 3vw, 1.75rem);
          background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
        @media (min-width: 52rem) { .act { grid-template-columns: minmax(0, 1fr) auto; } }
        .act { counter-increment: act; }
        .act h3::before { content: counter(act) ". "; color: var(--soft); font-weight: 400; }
        .claims { list-style: none; margin: 1rem 0 0; padding: 0; font-size: 0.98rem; }
        .claims li { display: grid; grid-template-columns: 1.7rem minmax(0, 1fr); padding: 0.3rem 0; overflow-wrap: anywhere; }
        .claims b { white-space: nowrap; }
        .mark { color: var(--good); font-weight: 700; }
        .fails, .fails .mark { color: var(--bad); }
        .scenes { display: flex; gap: 1rem; }
        .phone { margin: 0; flex: 0 1 11.5rem; min-width: 0; }
        .phone img { display: block; width: 100%; height: auto; border: 2px solid var(--ink); border-radius: 14px; }
        iframe { display: block; width: 100%; height: min(85vh, 56rem); border: 1px solid var(--line); border-radius: 14px;
          background: var(--card); }
        footer { margin-top: 3.5rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.95rem; }
        @media (max-width: 34rem) { th, td { padding: 0.4rem 0.45rem; font-size: 0.88rem; } thead th { white-space: normal; }
          tbody th { min-width: 6.5rem; } tbody th.sub { padding-left: 1rem; } .figures dd { font-size: 1.7rem; } }
        """
}
