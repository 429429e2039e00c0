---@meta _
-- Made by `./dev docs` from the options where they are declared: change those.

--- What may stand in deskpilot.lua, and in a mission beside its own fields.
---@class deskpilot.config_groups
---@field accept_claims boolean? whether the agent's word is enough where a mission has no verify: such a run ends as `claimed`, with exit status 0 instead of 1; false unless told
---@field personas table<string, deskpilot.config.personas>? what one persona of a policy is given, by its name; the others ask `model.name`, and spend what their policy says
---@field policy string? how the agent thinks (a file in policies/); three_body unless told
---@field trusted_folders string[]? folders whose files are used also where others could have written them; not in a project's `deskpilot.lua` or a mission; none unless told
---@field ask_user deskpilot.config.ask_user?
---@field browser_wait deskpilot.config.browser_wait?
---@field desktop deskpilot.config.desktop?
---@field history deskpilot.config.history?
---@field limits deskpilot.config.limits?
---@field loop deskpilot.config.loop?
---@field memory deskpilot.config.memory?
---@field model deskpilot.config.model?
---@field observe deskpilot.config.observe?
---@field odev deskpilot.config.odev?
---@field report_completion deskpilot.config.report_completion?
---@field runs deskpilot.config.runs?
---@field safety deskpilot.config.safety?
---@field screen deskpilot.config.screen?
---@field scroll deskpilot.config.scroll?
---@field three_body deskpilot.config.three_body?
---@field timing deskpilot.config.timing?
---@field tools deskpilot.config.tools?

---@class deskpilot.config.ask_user
---@field most integer? most questions of a run; an agent that asks on is told to decide itself; 10 unless told
---@field seconds number? seconds that a person has for an answer; 120 unless told

---@class deskpilot.config.browser_wait
---@field seconds number? how long it waits at the most, where the model does not say; 10 unless told

---@class deskpilot.config.desktop
---@field height integer? pixels down of a private desktop; 800 unless told
---@field kind "current"|"private"|nil the desktop worked on: the user's own, or a new one for this run; current unless told
---@field pass_env string[]? names of environment variables that programs started by deskpilot get beside the harmless ones; not those of API keys; none unless told
---@field shared boolean? work on the current desktop also while another run, or a prompt, is working on it; false unless told
---@field size { [1]: integer, [2]: integer }? pixels across and down of a private desktop
---@field width integer? pixels across of a private desktop; 1280 unless told

---@class deskpilot.config.history
---@field doctrine_chars integer? how much of the doctrine the Executor is told, in characters; the success criteria it is told whole; 400 unless told
---@field kept integer? actions kept in the history; as many phase changes and errors beside them; 10 unless told
---@field sent integer? latest entries of it sent to the model; 8 unless told

---@class deskpilot.config.limits
---@field failures integer? failed steps in a row after which a run ends; 10 unless told
---@field goal_depth integer? goals that may be within each other, the mission's own counted (`m:achieve`); 8 unless told
---@field goals integer? goals that may be begun within one run; 200 unless told
---@field lookups integer? look-ups of one turn: calls of tools that only read, which are answered before the action; 3 unless told
---@field model_failures integer? times in a row that the model fails in the same way after which a run ends; 3 unless told
---@field seconds number? seconds after which a run ends; 1800 unless told
---@field tokens integer? tokens of requests and answers, as the servers count them, after which a run ends (0: any number); 0 unless told
---@field turns integer? turns after which a run ends; 600 unless told

---@class deskpilot.config.loop
---@field temperature_factor number? how much a loop raises the temperature of the next request (1: not at all); each further action of the loop raises it by as much again: 1.5, 2, 2.5 times; 1.5 unless told
---@field temperature_max number? highest temperature that a loop leads to; a model that is given more writes no valid calls; 1.2 unless told
---@field threshold integer? times the same action makes a loop; 3 unless told
---@field window integer? actions looked back over for loops; 5 unless told

---@class deskpilot.config.memory
---@field experience_chars integer? longest of them, in characters; 300 unless told
---@field experiences integer? most experiences; the oldest go; 20 unless told
---@field keep "run"|"project"|"application"|nil how long what is learned is remembered: for the run alone, or also for later ones of the same project, or with the same application in front; run unless told
---@field value_chars integer? longest of them, in characters; 4000 unless told
---@field values integer? most named values of a run; 50 unless told

---@class deskpilot.config.model
---@field api_key_file string? file whose first line is the API key
---@field calls_per_minute number? most requests in a minute (0: no cap); 60 unless told
---@field connect_timeout number? seconds to wait for a connection; 10 unless told
---@field endpoint string? address of the OpenAI-compatible model server; http://localhost:1234/v1 unless told
---@field max_images integer? most pictures of one request: the screen, then the latest of the others (0: any number); 0 unless told
---@field name string? the model asked for; qwen3-vl-2b-instruct unless told
---@field provider string? a model server by its name, such as `ollama`: its address, where `model.endpoint` is not set in the same place or a stronger one
---@field retries integer? tries after a failed request; 3 unless told
---@field timeout number? seconds to wait for one reply; 240 unless told

---@class deskpilot.config.observe
---@field elements boolean? tell the model of the elements on screen; true unless told
---@field max_elements integer? most elements told of in one turn; 120 unless told
---@field max_page_elements integer? most elements of a page told of in one turn; 200 unless told
---@field max_page_text integer? how much of a page's text is told, in characters; 8000 unless told
---@field page boolean? tell the model of the page that the active window shows, where a browser lets us in; true unless told

---@class deskpilot.config.odev
---@field force_vision integer? failed steps in a row after which `vision` is asked without looking at the page first; 3 unless told
---@field keyword_share number? how many of an anchor's keywords have to be seen, as a share of them; 0.5 unless told
---@field max_actions integer? most actions of one plan; 5 unless told
---@field max_escalations integer? times that `vision` is asked before the run is given up; 5 unless told
---@field read_screen boolean? read the active window's pixels for what neither elements nor the page tell of; true unless told
---@field retries integer? times that a step which could not be verified is done again; 2 unless told
---@field verify_seconds number? seconds for the screen to show what a step was to bring; 5 unless told
---@field vision boolean? ask the persona `vision` when nothing else helps; true unless told

---@class deskpilot.config.personas
---@field api_key_file string? file whose first line is the key for it
---@field endpoint string? the server that this persona asks; another server is not sent the key of `model.endpoint`'s
---@field max_tokens integer? longest answer, in tokens
---@field model string? the model that this persona asks
---@field provider string? that server by its name, as `model.provider`
---@field temperature number? how freely it answers

---@class deskpilot.config.report_completion
---@field min_evidence integer? shortest evidence that a claim of completion may have, in characters; 100 unless told

---@class deskpilot.config.runs
---@field dir string? folder that run directories are made in; runs unless told
---@field keep { [1]: integer, [2]: number, [3]: number }? how many runs are kept there, for how many days, and in how many megabytes
---@field keep_count integer? runs kept there: a new one removes the oldest beyond that (0: no limit); 0 unless told
---@field keep_days number? days after which a run is removed by a new one (0: no limit); 0 unless told
---@field keep_mb number? megabytes that all runs there may have: a new one removes the oldest beyond that (0: no limit); 5000 unless told

---@class deskpilot.config.safety
---@field activity_quiet number? seconds without input after which a paused run goes on; 3 unless told
---@field approve string[]? what an agent does only after a person's yes; pay, shell unless told
---@field apps deskpilot.config.safety.apps?
---@field files string[]? files and folders from which an agent may upload or open, beside the mission's `files`; none unless told
---@field forbidden_keys string[]? key combinations that are never pressed; win+l, ctrl+alt+delete, alt+f4 unless told
---@field forbidden_texts string[]? texts that are never typed, entered or pasted, also as a part of others and whatever their case; none unless told
---@field max_text integer? longest text that an agent may type at once, in characters; 1000 unless told
---@field min_free_mb number? megabytes that a run leaves free on its disk; 100 unless told
---@field pause_on_activity boolean? pause while a person uses the mouse or keyboard of the same desktop; false unless told
---@field pay_buttons string[]? names of buttons and links that count as paying; pay, pay now*, pay *, buy, buy now*, buy it now*, buy *, purchase*, place order*, place your order*, place my order*, submit order*, confirm order*, complete order*, complete purchase*, order now*, order and pay*, confirm payment*, confirm and pay*, confirm & pay*, make payment*, send money*, send payment*, donate now*, jetzt kaufen*, kaufen, jetzt bestellen*, bestellen, zahlungspflichtig*, kostenpflichtig*, bezahlen*, jetzt bezahlen*, jetzt zahlen*, payer*, acheter*, commander, passer la commande*, passer commande*, valider et payer*, pagar*, comprar*, realizar pedido*, hacer pedido*, confirmar pago*, finalizar compra*, finalizar pedido*, confirmar pagamento*, paga, paga *, acquista*, compra, compra *, effettua *ordine*, betalen*, nu betalen*, kopen, nu kopen*, bestelling plaatsen*, kup teraz*, kupuj*, zamawiam*, zapłać*, Zapłać*, betala*, betal*, köp*, Köp*, køb*, Køb*, kjøp*, Kjøp*, satın al*, Satın al*, оплатить*, Оплатить*, купить*, Купить*, *支付*, *付款*, *购买*, *提交订单*, *購入*, *支払*, *注文を確定*, *결제*, *구매* unless told
---@field shells string[]? applications that count as a shell; *terminal*, xterm, uxterm, *rxvt*, konsole, kitty, alacritty, foot, st, tilix, terminator, guake, yakuake, ghostty*, wezterm*, mintty, conhost, consolewindowclass, cmd, wineconsole, command prompt, powershell*, pwsh*, sh, bash, dash, zsh, fish unless told
---@field sites deskpilot.config.safety.sites?
---@field stop_hotkey string|false|nil keys that stop the program, pressed by a person in any window; a second time at once (`false`: none); ctrl+alt+escape unless told
---@field tools deskpilot.config.safety.tools?

---@class deskpilot.config.safety.apps
---@field allow string[]? the only applications that an agent may act on, by pattern
---@field deny string[]? applications that an agent must not act on, by pattern

---@class deskpilot.config.safety.sites
---@field allow string[]? the only sites that an agent may act on in a browser, by pattern
---@field deny string[]? sites that an agent must not act on in a browser, by pattern

---@class deskpilot.config.safety.tools
---@field allow string[]? the only tools that an agent may use, by pattern
---@field deny string[]? tools that an agent must not use, by pattern

---@class deskpilot.config.screen
---@field cursor boolean? draw the mouse pointer in screenshots; true unless told
---@field image_format "auto"|"png"|"jpeg"|nil format of the picture that the model is sent; auto: PNG, or JPEG where a PNG would be more than `screen.image_max_bytes`; auto unless told
---@field image_height integer? highest picture that the model is sent; 864 unless told
---@field image_max_bytes integer? most bytes of that picture's file: of a lower quality, then smaller, until it fits (0: no cap); 0 unless told
---@field image_width integer? widest picture that the model is sent; 1536 unless told

---@class deskpilot.config.scroll
---@field notches integer? how far scroll_up and scroll_down turn the wheel, in notches; 5 unless told

---@class deskpilot.config.three_body
---@field calls_per_turn integer? most actions that the Executor takes from one look; it stops at the first that fails or finds the screen changed; 1 unless told
---@field tactician_interval integer? the Tactician looks in on turn 1, every so many turns, and when the Executor has wanted to report completion in a phase that does not verify; 5 unless told
---@field unanswered_questions integer? questions in a row that the Tactician leaves without a valid answer, after which the Executor gets emergency orders; 3 unless told

---@class deskpilot.config.timing
---@field click_hold number? seconds that a button stays down in a click; unless it is set, as the profile of the active application or desk.timing has it
---@field click_pause number? seconds of pause after a click; unless it is set, as the profile of the active application or desk.timing has it
---@field double_click number? seconds between the clicks of a double click; unless it is set, as the profile of the active application or desk.timing has it
---@field drag_step number? seconds between two moves of a drag; unless it is set, as the profile of the active application or desk.timing has it
---@field key_hold number? seconds that keys stay down in a press; unless it is set, as the profile of the active application or desk.timing has it
---@field key_pause number? seconds of pause after a key press; unless it is set, as the profile of the active application or desk.timing has it
---@field phases table<string, deskpilot.config.timing.phases>? times for a phase of the policy, by its name or the words that its name begins with (EXECUTION for EXECUTION_SAVE)
---@field pointer_rest number? seconds that the pointer rests on its target before a button goes down; unless it is set, as the profile of the active application or desk.timing has it
---@field settle_cap number? seconds after which a changing screen is taken as it is; a known application may have its own, unless it is set; 2.5 unless told
---@field settle_floor number? least seconds to wait after an action; 0.03 unless told
---@field settle_page number? seconds after which a page that is still loading is taken as it is; 10 unless told
---@field settle_quiet number? seconds without a change that count as settled; a known application may have its own, unless it is set; 0.15 unless told
---@field turn_delay number? seconds to rest between turns; 0 unless told
---@field type_interval number? seconds between two characters that are typed; unless it is set, as the profile of the active application or desk.timing has it
---@field verify number? seconds to wait for a mission's verify to become true; 3 unless told

---@class deskpilot.config.timing.phases
---@field click_hold number? seconds that a button stays down in a click; unless it is set, as the profile of the active application or desk.timing has it
---@field click_pause number? seconds of pause after a click; unless it is set, as the profile of the active application or desk.timing has it
---@field double_click number? seconds between the clicks of a double click; unless it is set, as the profile of the active application or desk.timing has it
---@field drag_step number? seconds between two moves of a drag; unless it is set, as the profile of the active application or desk.timing has it
---@field key_hold number? seconds that keys stay down in a press; unless it is set, as the profile of the active application or desk.timing has it
---@field key_pause number? seconds of pause after a key press; unless it is set, as the profile of the active application or desk.timing has it
---@field pointer_rest number? seconds that the pointer rests on its target before a button goes down; unless it is set, as the profile of the active application or desk.timing has it
---@field settle_cap number? seconds after which a changing screen is taken as it is; a known application may have its own, unless it is set
---@field settle_floor number? least seconds to wait after an action
---@field settle_page number? seconds after which a page that is still loading is taken as it is
---@field settle_quiet number? seconds without a change that count as settled; a known application may have its own, unless it is set
---@field turn_delay number? seconds to rest between turns
---@field type_interval number? seconds between two characters that are typed; unless it is set, as the profile of the active application or desk.timing has it

---@class deskpilot.config.tools
---@field min_justification integer? shortest justification that an action may have, in characters (0: any); 0 unless told
---@field offer string[]? groups and names of tools that personas are offered beside those that their policy offers; none unless told
