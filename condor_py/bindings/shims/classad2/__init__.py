"""``import classad2``: HTCondor's module for ClassAds, second version."""

from importlib import import_module as _import_module

_import_module("_condor_py_home")
_class_ad = _import_module("classad2._class_ad")
_expr_tree = _import_module("classad2._expr_tree")
_parser_type = _import_module("classad2._parser_type")
_value = _import_module("classad2._value")
classad2_impl = _import_module("classad2.classad2_impl")

ClassAd = _class_ad.ClassAd
lastError = _class_ad.lastError
parseAds = _class_ad.parseAds
parseNext = _class_ad.parseNext
parseOne = _class_ad.parseOne
quote = _class_ad.quote
unquote = _class_ad.unquote
version = _class_ad.version
ExprTree = _expr_tree.ExprTree
ParserType = _parser_type.ParserType
Value = _value.Value
ClassAdException = classad2_impl.ClassAdException
Parser = ParserType
