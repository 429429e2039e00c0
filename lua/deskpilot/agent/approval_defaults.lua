--- The defaults of safety.approve's lists: data alone, which the keys of the configuration are declared with.
local approval_defaults = {}

--- The kinds of acts.
approval_defaults.names = { "upload", "open_app", "submit", "close", "shell", "pay" }

--- What counts as a shell: names of applications, classes of windows, programs.
approval_defaults.shells = { "*terminal*", "xterm", "uxterm", "*rxvt*", "konsole", "kitty", "alacritty", "foot", "st",
  "tilix", "terminator", "guake", "yakuake", "ghostty*", "wezterm*", "mintty", "conhost", "consolewindowclass", "cmd",
  "wineconsole", "command prompt", "powershell*", "pwsh*", "sh", "bash", "dash", "zsh", "fish" }

--- Names of buttons that mean paying. Only letters of ASCII are compared whatever their case.
approval_defaults.pay_buttons = { "pay", "pay now*", "pay *", "buy", "buy now*", "buy it now*", "buy *", "purchase*",
  "place order*", "place your order*", "place my order*", "submit order*", "confirm order*", "complete order*",
  "complete purchase*", "order now*", "order and pay*", "confirm payment*", "confirm and pay*", "confirm & pay*",
  "make payment*", "send money*", "send payment*", "donate now*",
  "jetzt kaufen*", "kaufen", "jetzt bestellen*", "bestellen", "zahlungspflichtig*", "kostenpflichtig*", "bezahlen*",
  "jetzt bezahlen*", "jetzt zahlen*", "payer*", "acheter*", "commander", "passer la commande*", "passer commande*",
  "valider et payer*", "pagar*", "comprar*", "realizar pedido*", "hacer pedido*", "confirmar pago*",
  "finalizar compra*", "finalizar pedido*", "confirmar pagamento*", "paga", "paga *", "acquista*", "compra", "compra *",
  "effettua *ordine*", "betalen*", "nu betalen*", "kopen", "nu kopen*", "bestelling plaatsen*", "kup teraz*",
  "kupuj*", "zamawiam*", "zap\u{142}a\u{107}*", "Zap\u{142}a\u{107}*", "betala*", "betal*", "k\u{f6}p*", "K\u{f6}p*",
  "k\u{f8}b*", "K\u{f8}b*", "kj\u{f8}p*", "Kj\u{f8}p*", "sat\u{131}n al*", "Sat\u{131}n al*",
  "\u{43e}\u{43f}\u{43b}\u{430}\u{442}\u{438}\u{442}\u{44c}*",
  "\u{41e}\u{43f}\u{43b}\u{430}\u{442}\u{438}\u{442}\u{44c}*",
  "\u{43a}\u{443}\u{43f}\u{438}\u{442}\u{44c}*", "\u{41a}\u{443}\u{43f}\u{438}\u{442}\u{44c}*",
  "*\u{652f}\u{4ed8}*", "*\u{4ed8}\u{6b3e}*", "*\u{8d2d}\u{4e70}*", "*\u{63d0}\u{4ea4}\u{8ba2}\u{5355}*",
  "*\u{8cfc}\u{5165}*", "*\u{652f}\u{6255}*", "*\u{6ce8}\u{6587}\u{3092}\u{78ba}\u{5b9a}*",
  "*\u{acb0}\u{c81c}*", "*\u{ad6c}\u{b9e4}*" }

return approval_defaults
